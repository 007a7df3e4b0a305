#include "ingest/xplane/xplane_args.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "schema/base/json_writer.h"

namespace benchhud::ingest {

using StatKind = XplaneStat::Kind;

namespace {

XplaneRole role_of(std::string_view name) {
  constexpr std::array kRoles = {
      std::pair(std::string_view("correlation_id"), XplaneRole::kCorrelation),
      std::pair(std::string_view("_pt"), XplaneRole::kProducerType),
      std::pair(std::string_view("_p"), XplaneRole::kProducerId),
      std::pair(std::string_view("_ct"), XplaneRole::kConsumerType),
      std::pair(std::string_view("_c"), XplaneRole::kConsumerId),
      std::pair(std::string_view("flow"), XplaneRole::kFlow),
      std::pair(std::string_view("_a"), XplaneRole::kAsync),
      std::pair(std::string_view("memcpy_details"), XplaneRole::kMemcpy),
      std::pair(std::string_view("memset_details"), XplaneRole::kMemset),
      std::pair(std::string_view("memalloc_details"), XplaneRole::kGpuMemory),
      std::pair(std::string_view("MemFree_details"), XplaneRole::kGpuMemory),
      std::pair(std::string_view("memfree_details"), XplaneRole::kGpuMemory),
      std::pair(std::string_view("dropped_traces"), XplaneRole::kDropped),
      std::pair(std::string_view("allocator_name"), XplaneRole::kAllocator),
      std::pair(std::string_view("hlo_category"), XplaneRole::kHloCategory),
      std::pair(std::string_view("device_ordinal"), XplaneRole::kDevice),
      std::pair(std::string_view("index_on_host"), XplaneRole::kDevice),
      std::pair(std::string_view("bytes_allocated"), XplaneRole::kMemoryLevel),
      std::pair(std::string_view("bytes_reserved"), XplaneRole::kMemoryLevel),
      std::pair(std::string_view("bytes_available"), XplaneRole::kMemoryFree),
      std::pair(std::string_view("peak_bytes_in_use"), XplaneRole::kMemoryPeak),
      std::pair(std::string_view("program_id"), XplaneRole::kProgram),
      std::pair(std::string_view("symbol_id"), XplaneRole::kSymbol),
      std::pair(std::string_view("hlo_op"), XplaneRole::kHloOp),
      std::pair(std::string_view("hlo_module"), XplaneRole::kHloModule),
      std::pair(std::string_view("tf_op"), XplaneRole::kFrameworkOp),
      std::pair(std::string_view("name"), XplaneRole::kAnnotation),
      std::pair(std::string_view("source"), XplaneRole::kSource),
      std::pair(std::string_view("flops"), XplaneRole::kFlops),
      std::pair(std::string_view("bytes_accessed"), XplaneRole::kBytes),
      std::pair(std::string_view("memory_access_breakdown"), XplaneRole::kMemoryAccess),
      std::pair(std::string_view("device_offset_ps"), XplaneRole::kDeviceOffset),
      std::pair(std::string_view("device_duration_ps"), XplaneRole::kDeviceDuration),
      std::pair(std::string_view("kernel_details"), XplaneRole::kKernelDetails),
      std::pair(std::string_view("theoretical_occupancy_pct"), XplaneRole::kOccupancy),
      std::pair(std::string_view("run_id"), XplaneRole::kRunId),
      std::pair(std::string_view("queue_id"), XplaneRole::kQueueId),
      std::pair(std::string_view("core_type"), XplaneRole::kCoreType),
      std::pair(std::string_view("step_num"), XplaneRole::kStepNumber),
      std::pair(std::string_view("_r"), XplaneRole::kRoot),
  };
  const auto* const found = std::find_if(kRoles.begin(), kRoles.end(),
                                         [&](const auto& each) { return each.first == name; });
  return found == kRoles.end() ? XplaneRole::kNone : found->second;
}

// Whether a double holds the integer, as most readers of JSON need.
bool is_exact(const XplaneStat& stat) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  if (stat.kind == StatKind::kUnsigned) return stat.number <= std::uint64_t{kMost};
  const auto number = static_cast<std::int64_t>(stat.number);
  return -kMost <= number && number <= kMost;
}

// A gzip member's bytes; nothing where it is damaged, longer than anybody reads, or much more than
// a text compresses to: a hostile file has a thousand times its size in it.
std::optional<std::string> gunzipped(std::string_view packed) {
  constexpr std::size_t kMost = std::size_t{1} << 20, kMostTimes = 64;
  constexpr int kGzipOfAnyWindow = 15 + 16;
  z_stream stream{};
  if (packed.size() > kMost || inflateInit2(&stream, kGzipOfAnyWindow) != Z_OK) return std::nullopt;
  std::string text(std::min(kMost, kMostTimes * packed.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int result = inflate(&stream, Z_FINISH);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return result == Z_STREAM_END ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::string xplane_number_text(const XplaneStat& stat) {
  if (stat.kind == StatKind::kSigned) return fmt::to_string(static_cast<std::int64_t>(stat.number));
  return fmt::to_string(stat.number);
}

void write_xplane_member(std::string_view name, std::string_view text, std::string* members) {
  schema::JsonWriter json(members);
  json.key(name);
  json.value(text);
  *members += ',';
}

void finish_xplane_object(std::string* members) {
  if (members->empty()) return;
  members->insert(members->begin(), '{');
  members->back() = '}';
}

const XplaneStatNames::Entry& XplaneStatNames::entry(const XplaneStat& stat) {
  const auto [found, is_new] = entries_.try_emplace(stat.metadata_id);
  Entry& entry = found->second;
  if (!is_new) return entry;
  const auto name = plane_.stat_names.find(stat.metadata_id);
  if (name != plane_.stat_names.end()) {
    entry.name = name->second;
    entry.role = role_of(name->second);
  } else {
    entry.name = fmt::format("stat {}", stat.metadata_id);
  }
  schema::JsonWriter(&entry.key).value(entry.name);
  entry.key += ':';
  return entry;
}

std::string_view XplaneStatNames::text(const XplaneStat& stat) const {
  if (stat.kind == StatKind::kText) return stat.bytes;
  if (stat.kind != StatKind::kName) return {};
  const auto name = plane_.stat_names.find(static_cast<std::int64_t>(stat.number));
  return name == plane_.stat_names.end() ? std::string_view() : name->second;
}

void XplaneStatNames::write_left_out(std::size_t others, std::string* members) {
  others += std::exchange(left_out_, 0);
  if (others > 0) write_xplane_member("values_left_out", fmt::to_string(others), members);
}

void XplaneStatNames::write(const XplaneStat& stat, std::string* members) {
  if (members->size() >= kMostMembers) {
    ++left_out_;
    return;
  }
  *members += entry(stat).key;
  schema::JsonWriter json(members);
  switch (stat.kind) {
    case StatKind::kNone:
      json.null();
      break;
    case StatKind::kDouble:
      json.value(stat.real);
      break;
    case StatKind::kUnsigned:
    case StatKind::kSigned:
      if (is_exact(stat)) {
        json.value(static_cast<std::int64_t>(stat.number));
      } else {
        json.value(xplane_number_text(stat));
      }
      break;
    case StatKind::kText:
      json.value(stat.bytes);
      break;
    case StatKind::kBytes:
      json.value(fmt::format("<{} bytes>", stat.bytes.size()));
      break;
    case StatKind::kGzip:
      if (const auto text = gunzipped(stat.bytes)) {
        json.value(*text);
      } else {
        json.value(fmt::format("<{} bytes, gzip>", stat.bytes.size()));
      }
      break;
    case StatKind::kName:
      if (plane_.stat_names.contains(static_cast<std::int64_t>(stat.number))) {
        json.value(text(stat));
      } else {
        json.null();
      }
      break;
  }
  *members += ',';
}

void XplaneStatNames::write_as_text(const XplaneStat& stat, std::string* members) {
  const bool is_integer = xplane_integer(stat).has_value();
  if (!is_integer && stat.kind != StatKind::kDouble) return write(stat, members);
  if (members->size() >= kMostMembers) {
    ++left_out_;
    return;
  }
  *members += entry(stat).key;
  schema::JsonWriter(members).value(is_integer ? xplane_number_text(stat)
                                               : fmt::to_string(stat.real));
  *members += ',';
}

}  // namespace benchhud::ingest
