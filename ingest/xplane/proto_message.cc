#include "ingest/xplane/proto_message.h"

#include <bit>

#include "ingest/xplane/proto_fields.h"

namespace benchhud::ingest {

ProtoMessage::ProtoMessage(std::string_view bytes) {
  FieldReader reader(bytes);
  while (reader.next()) {
    if (fields_.size() == kMostFields) {
      fault_ = "a message of more than a million fields";
      fault_place_ = reader.begin();
      return;
    }
    const bool is_bytes = (reader.field() & 7U) == 2;
    fields_.push_back(
        {reader.field(), reader.number(), is_bytes ? reader.bytes() : std::string_view()});
  }
  if (!reader.has_fault()) return;
  fault_ = reader.fault();
  fault_place_ = reader.begin();
}

const ProtoMessage::Field* ProtoMessage::last(std::uint32_t tag) const {
  for (auto field = fields_.rbegin(); field != fields_.rend(); ++field) {
    if (field->tag == tag) return &*field;
  }
  return nullptr;
}

bool ProtoMessage::has(std::uint32_t number) const {
  for (const Field& field : fields_) {
    if (field.tag >> 3U == number) return true;
  }
  return false;
}

std::int64_t ProtoMessage::integer(std::uint32_t number) const {
  const Field* const field = last(varint(number));
  return field == nullptr ? 0 : static_cast<std::int64_t>(field->number);
}

float ProtoMessage::real(std::uint32_t number) const {
  const Field* const field = last(field_of(number, protozero::pbf_wire_type::fixed32));
  return field == nullptr ? 0 : std::bit_cast<float>(static_cast<std::uint32_t>(field->number));
}

std::string_view ProtoMessage::bytes(std::uint32_t number) const {
  const Field* const field = last(bytes_field(number));
  return field == nullptr ? std::string_view() : field->bytes;
}

std::vector<std::string_view> ProtoMessage::all_bytes(std::uint32_t number) const {
  std::vector<std::string_view> all;
  for (const Field& field : fields_) {
    if (field.tag == bytes_field(number)) all.push_back(field.bytes);
  }
  return all;
}

std::vector<std::int64_t> ProtoMessage::integers(std::uint32_t number) const {
  std::vector<std::int64_t> all;
  for (const Field& field : fields_) {
    if (field.tag == varint(number)) all.push_back(static_cast<std::int64_t>(field.number));
    if (field.tag != bytes_field(number)) continue;
    const std::vector<std::int64_t> packed = packed_integers(field.bytes);
    all.insert(all.end(), packed.begin(), packed.end());
  }
  return all;
}

std::vector<std::int64_t> packed_integers(std::string_view bytes) {
  std::vector<std::int64_t> all;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  try {
    while (at != end) {
      all.push_back(static_cast<std::int64_t>(protozero::decode_varint(&at, end)));
    }
  } catch (const protozero::exception&) {
    // What was decoded counts.
  }
  return all;
}

}  // namespace benchhud::ingest
