#include "ingest/xplane/xplane_wire.h"

#include <fmt/format.h>

#include <bit>
#include <random>

#include "ingest/xplane/proto_fields.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::ingest {

using protozero::pbf_wire_type;

namespace {

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

std::vector<XplanePlane> find_xplanes(std::string_view bytes, std::string_view name) {
  constexpr std::size_t kMostPlanes = 1000;
  std::vector<XplanePlane> planes;
  FieldReader reader(bytes);
  while (planes.size() < kMostPlanes && reader.next()) {
    if (reader.field() != bytes_field(1)) continue;
    // A plane's name stands before its lines.
    FieldReader head(reader.bytes());
    while (head.next() && head.field() == varint(1)) {
    }
    if (head.field() != bytes_field(2) || head.bytes() != name) continue;
    std::vector<std::string_view> lines, broken;
    FieldReader all(reader.bytes());
    planes.emplace_back().place = reader.bytes().data() - bytes.data();
    decode_plane(&all, &planes.back(), &lines, &broken);
  }
  return planes;
}

}  // namespace benchhud::ingest
