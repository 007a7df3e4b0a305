// Numbers are decoded by protozero, which throws where it cannot; nothing else in here throws, and
// nothing is thrown further. Its pbf_reader is not used: its lengths have 32 bits, and a length of
// 2^32 + 5 would be 5.
#include "ingest/xplane/xplane_wire.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <protozero/exception.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <random>

#include "schema/base/text_excerpt.h"

namespace benchhud::ingest {
namespace {

using protozero::pbf_wire_type;

constexpr std::uint32_t field_of(std::uint32_t number, pbf_wire_type type) {
  return (number << 3U) | static_cast<std::uint32_t>(type);
}
constexpr std::uint32_t varint(std::uint32_t number) {
  return field_of(number, pbf_wire_type::varint);
}
constexpr std::uint32_t bytes_field(std::uint32_t number) {
  return field_of(number, pbf_wire_type::length_delimited);
}

// The fields of one message. After next() has returned false, fault() says whether that is for
// damage.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  /// Decodes the next field.
  bool next() {
    if (at_ == end_) return false;
    begin_ = at_;
    try {
      return decode();
    } catch (const protozero::end_of_buffer_exception&) {
      fault_ = "the bytes end inside a number";
    } catch (const protozero::exception&) {
      fault_ = "a number of more than ten bytes";
    }
    return false;
  }

  /// Number and wire type together.
  std::uint32_t field() const { return field_; }
  std::uint64_t number() const { return number_; }
  std::int64_t signed_number() const { return static_cast<std::int64_t>(number_); }
  std::string_view bytes() const { return bytes_; }
  /// Where the last field that was tried begins.
  const char* begin() const { return begin_; }
  /// A phrase; "" if there is none.
  std::string fault() const {
    if (fault_ != nullptr) return fault_;
    if (!is_too_long_) return "";
    return fmt::format("a length of {} bytes, of which {} are there", number_,
                       static_cast<std::size_t>(end_ - at_));
  }
  bool has_fault() const { return fault_ != nullptr || is_too_long_; }

 private:
  bool decode() {
    const std::uint64_t tag = protozero::decode_varint(&at_, end_);
    if (tag >> 3U == 0 || tag > std::numeric_limits<std::uint32_t>::max()) {
      return fail("a field without a number");
    }
    field_ = static_cast<std::uint32_t>(tag);
    switch (static_cast<pbf_wire_type>(tag & 7U)) {
      case pbf_wire_type::varint:
        number_ = protozero::decode_varint(&at_, end_);
        return true;
      case pbf_wire_type::length_delimited:
        number_ = protozero::decode_varint(&at_, end_);
        if (number_ > static_cast<std::uint64_t>(end_ - at_)) {
          is_too_long_ = true;
          return false;
        }
        bytes_ = {at_, static_cast<std::size_t>(number_)};
        at_ += number_;
        return true;
      case pbf_wire_type::fixed64:
        return take_fixed(sizeof(std::uint64_t));
      case pbf_wire_type::fixed32:
        return take_fixed(sizeof(std::uint32_t));
      default:
        return fail("a field of an unknown type");
    }
  }
  bool take_fixed(std::size_t size) {
    static_assert(std::endian::native == std::endian::little);
    if (static_cast<std::size_t>(end_ - at_) < size) return fail("the bytes end inside a number");
    number_ = 0;
    std::memcpy(&number_, at_, size);
    at_ += size;
    return true;
  }
  bool fail(const char* reason) {
    fault_ = reason;
    return false;
  }

  const char* at_;
  const char* const end_;
  const char* begin_ = nullptr;
  std::uint32_t field_ = 0;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
  const char* fault_ = nullptr;
  bool is_too_long_ = false;
};

// Whether all of it could be decoded.
bool read_stat(std::string_view message, XplaneStat* stat) {
  using Kind = XplaneStat::Kind;
  FieldReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case varint(1):
        stat->metadata_id = reader.signed_number();
        continue;
      case field_of(2, pbf_wire_type::fixed64):
        stat->kind = Kind::kDouble;
        stat->real = std::bit_cast<double>(reader.number());
        continue;
      case varint(3):
        stat->kind = Kind::kUnsigned;
        break;
      case varint(4):
        stat->kind = Kind::kSigned;
        break;
      case bytes_field(5):
        stat->kind = Kind::kText;
        break;
      case bytes_field(6):
        stat->kind = Kind::kBytes;
        break;
      case varint(7):
        stat->kind = Kind::kName;
        break;
      case bytes_field(8):
        stat->kind = Kind::kGzip;
        break;
      default:
        continue;
    }
    stat->number = reader.number();
    stat->bytes = reader.bytes();
  }
  return !reader.has_fault();
}

// Whether all of it could be decoded. Of too many values the rest is counted.
bool add_stat(std::string_view message, std::vector<XplaneStat>* stats, std::size_t* left_out) {
  XplaneStat stat;
  if (!read_stat(message, &stat)) return false;
  if (stats->size() < kMostXplaneValues) {
    stats->push_back(stat);
  } else {
    ++*left_out;
  }
  return true;
}

// A map's entry: its key, and its value as it stands. Nothing if it cannot be decoded.
std::optional<std::pair<std::int64_t, std::string_view>> read_entry(std::string_view message) {
  std::pair<std::int64_t, std::string_view> entry;
  FieldReader reader(message);
  while (reader.next()) {
    if (reader.field() == varint(1)) entry.first = reader.signed_number();
    if (reader.field() == bytes_field(2)) entry.second = reader.bytes();
  }
  if (reader.has_fault()) return std::nullopt;
  return entry;
}

// A message's text field. Nothing if it cannot be decoded.
std::optional<std::string_view> text_of(std::string_view message, std::uint32_t number) {
  std::string_view text;
  FieldReader reader(message);
  while (reader.next()) {
    if (reader.field() == bytes_field(number)) text = reader.bytes();
  }
  if (reader.has_fault()) return std::nullopt;
  return text;
}

// All of a plane but what is in its lines. Of a name or a value that cannot be decoded nothing is
// kept, and `broken` has its message.
void decode_plane(FieldReader* reader, XplanePlane* plane, std::vector<std::string_view>* lines,
                  std::vector<std::string_view>* broken) {
  const auto note_broken = [&] { broken->push_back(reader->bytes()); };
  while (reader->next()) {
    switch (reader->field()) {
      case varint(1):
        plane->id = reader->signed_number();
        break;
      case bytes_field(2):
        plane->name = reader->bytes();
        break;
      case bytes_field(3):
        lines->push_back(reader->bytes());
        break;
      case bytes_field(4): {
        const auto entry = read_entry(reader->bytes());
        if (!entry) {
          note_broken();
          break;
        }
        plane->kinds[entry->first] = entry->second;
        break;
      }
      case bytes_field(5): {
        const auto entry = read_entry(reader->bytes());
        const auto name = entry ? text_of(entry->second, 2) : std::nullopt;
        if (!name) {
          note_broken();
          break;
        }
        plane->stat_names[entry->first] = *name;
        break;
      }
      case bytes_field(6):
        if (!add_stat(reader->bytes(), &plane->stats, &plane->values_left_out)) note_broken();
        break;
      default:
        break;
    }
  }
  plane->lines = lines->size();
}

class SpaceReader {
 public:
  SpaceReader(std::string_view bytes, XplaneVisitor* visitor) : bytes_(bytes), visitor_(*visitor) {}

  bool read() {
    FieldReader reader(bytes_);
    while (reader.next()) {
      switch (reader.field()) {
        case bytes_field(1):
          read_plane(reader.bytes());
          has_plane_ = true;
          break;
        case bytes_field(2):
        case bytes_field(3):
          visitor_.on_message(place_of(reader.begin()), reader.bytes());
          break;
        case bytes_field(4):
          visitor_.on_host_name(reader.bytes());
          break;
        default:
          break;
      }
    }
    report(reader, "the file");
    return has_plane_;
  }

 private:
  std::int64_t place_of(const char* at) const { return at - bytes_.data(); }

  void report(const FieldReader& reader, std::string_view where) {
    if (!reader.has_fault()) return;
    visitor_.on_broken(place_of(reader.begin()),
                       fmt::format("{}; the rest of {} is lost", reader.fault(), where));
  }

  void read_plane(std::string_view message) {
    XplanePlane plane;
    plane.place = place_of(message.data());
    std::vector<std::string_view> lines, broken;
    FieldReader reader(message);
    decode_plane(&reader, &plane, &lines, &broken);
    visitor_.on_plane(plane);
    const std::string name = schema::beginning_of(plane.name, kMostNameBytes);
    for (const std::string_view one : broken) {
      visitor_.on_broken(place_of(one.data()),
                         fmt::format("a name or a value of the plane {} cannot be decoded", name));
    }
    for (const std::string_view line : lines) read_line(line);
    report(reader, fmt::format("the plane {}", name));
    visitor_.on_plane_end();
  }

  void read_line(std::string_view message) {
    XplaneLine line;
    FieldReader head(message);
    while (head.next()) {
      switch (head.field()) {
        case varint(1):
          line.id = head.signed_number();
          break;
        case bytes_field(2):
          line.name = head.bytes();
          break;
        case varint(3):
          line.timestamp_ns = head.signed_number();
          break;
        case varint(10):
          line.display_id = head.signed_number();
          break;
        case bytes_field(11):
          line.display_name = head.bytes();
          break;
        default:
          break;
      }
    }
    visitor_.on_line(line);
    FieldReader reader(message);
    while (reader.next()) {
      if (reader.field() == bytes_field(4)) read_event(reader.bytes());
    }
    report(reader, fmt::format("the line {}", schema::beginning_of(line.name, kMostNameBytes)));
  }

  void read_event(std::string_view message) {
    event_.metadata_id = event_.offset_ps = event_.duration_ps = 0;
    event_.occurrences.reset();
    event_.stats.clear();
    event_.values_left_out = 0;
    event_.place = place_of(message.data());
    FieldReader reader(message);
    while (reader.next()) {
      switch (reader.field()) {
        case varint(1):
          event_.metadata_id = reader.signed_number();
          break;
        // Of the two of a oneof the last counts.
        case varint(2):
          event_.offset_ps = reader.signed_number();
          event_.occurrences.reset();
          break;
        case varint(5):
          event_.occurrences = reader.signed_number();
          break;
        case varint(3):
          event_.duration_ps = reader.signed_number();
          break;
        case bytes_field(4):
          if (!add_stat(reader.bytes(), &event_.stats, &event_.values_left_out)) {
            return visitor_.on_broken_event(place_of(reader.begin()),
                                            "a value of an event cannot be decoded");
          }
          break;
        default:
          break;
      }
    }
    if (reader.has_fault()) {
      return visitor_.on_broken_event(place_of(reader.begin()),
                                      fmt::format("{}; the event is lost", reader.fault()));
    }
    visitor_.on_event(event_);
  }

  static constexpr std::size_t kMostNameBytes = 100;

  const std::string_view bytes_;
  XplaneVisitor& visitor_;
  XplaneEvent event_;  // its memory is used again
  bool has_plane_ = false;
};

}  // namespace

std::optional<std::int64_t> xplane_integer(const XplaneStat& stat) {
  const bool is_integer =
      stat.kind == XplaneStat::Kind::kUnsigned || stat.kind == XplaneStat::Kind::kSigned;
  return is_integer ? std::optional(static_cast<std::int64_t>(stat.number)) : std::nullopt;
}

std::size_t XplaneIdHash::operator()(std::int64_t id) const {
  static const std::uint64_t seed = (std::uint64_t{std::random_device()()} << 32U) | 1U;
  // The mixing of splitmix64 (Steele, Lea, Flood 2014).
  std::uint64_t mixed = static_cast<std::uint64_t>(id) ^ seed;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

bool read_xspace(std::string_view bytes, XplaneVisitor* visitor) {
  return SpaceReader(bytes, visitor).read();
}

XplaneKind read_xplane_kind(std::string_view message) {
  XplaneKind kind;
  FieldReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case bytes_field(2):
        kind.name = reader.bytes();
        break;
      case bytes_field(3):
        kind.metadata_bytes = reader.bytes().size();
        break;
      case bytes_field(4):
        kind.display_name = reader.bytes();
        break;
      case bytes_field(5):
        (void)add_stat(reader.bytes(), &kind.stats, &kind.values_left_out);
        break;
      default:
        break;
    }
  }
  return kind;
}

std::vector<XplaneMemoryAccess> read_memory_accesses(std::string_view message) {
  constexpr std::size_t kMost = 100;
  std::vector<XplaneMemoryAccess> accesses;
  FieldReader reader(message);
  while (reader.next() && accesses.size() < kMost) {
    if (reader.field() != bytes_field(1)) continue;
    XplaneMemoryAccess& access = accesses.emplace_back();
    FieldReader entry(reader.bytes());
    while (entry.next()) {
      if (entry.field() == varint(1)) access.operation = entry.signed_number();
      if (entry.field() == varint(2)) access.memory = entry.signed_number();
      if (entry.field() == varint(3)) access.bytes = entry.signed_number();
    }
  }
  return accesses;
}

std::optional<XplanePlane> find_xplane(std::string_view bytes, std::string_view name) {
  FieldReader reader(bytes);
  while (reader.next()) {
    if (reader.field() != bytes_field(1)) continue;
    // A plane's name stands before its lines.
    FieldReader head(reader.bytes());
    while (head.next() && head.field() == varint(1)) {
    }
    if (head.field() != bytes_field(2) || head.bytes() != name) continue;
    XplanePlane plane;
    std::vector<std::string_view> lines, broken;
    FieldReader all(reader.bytes());
    decode_plane(&all, &plane, &lines, &broken);
    return plane;
  }
  return std::nullopt;
}

}  // namespace benchhud::ingest
