#include "ingest/xplane/proto_message.h"

#include <bit>

#include "ingest/xplane/proto_fields.h"

namespace benchhud::ingest {

ProtoMessage::ProtoMessage(std::string_view bytes, ProtoDamage* damage) : damage_(damage) {
  FieldReader reader(bytes);
  while (reader.next()) {
    if (fields_.size() == kMostFields) {
      fault_ = "a message of more than a million fields";
      fault_place_ = reader.begin();
      if (damage_ != nullptr) damage_->note(fault_, fault_place_);
      return;
    }
    const bool is_bytes = (reader.field() & 7U) == 2;
    fields_.push_back({reader.field(), reader.number(),
                       is_bytes ? reader.bytes() : std::string_view(), reader.all()});
  }
  if (!reader.has_fault()) return;
  fault_ = reader.fault();
  fault_place_ = reader.begin();
  if (damage_ != nullptr) damage_->note(fault_, fault_place_);
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
    if (field.tag == varint(number)) {
      if (!has_room(all, field.all.data())) break;
      all.push_back(static_cast<std::int64_t>(field.number));
    } else if (field.tag == bytes_field(number)) {
      add_packed(field.bytes, &all);
    }
  }
  return all;
}

bool ProtoMessage::has_room(const std::vector<std::int64_t>& all, const char* place) const {
  if (all.size() < kMostIntegers) return true;
  if (damage_ != nullptr) damage_->note("a list of more than a million numbers", place);
  return false;
}

void ProtoMessage::add_packed(std::string_view bytes, std::vector<std::int64_t>* all) const {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  const char* begin = at;
  try {
    while (at != end && has_room(*all, at)) {
      begin = at;
      all->push_back(static_cast<std::int64_t>(protozero::decode_varint(&at, end)));
    }
  } catch (const protozero::exception&) {
    // What was decoded counts.
    if (damage_ != nullptr) damage_->note("a number in a list that is no number", begin);
  }
}

}  // namespace benchhud::ingest
