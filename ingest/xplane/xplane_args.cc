#include "ingest/xplane/xplane_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

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
      std::pair(std::string_view("device_ordinal"), XplaneRole::kDevice),
      std::pair(std::string_view("index_on_host"), XplaneRole::kDevice),
      std::pair(std::string_view("bytes_allocated"), XplaneRole::kMemoryLevel),
      std::pair(std::string_view("bytes_reserved"), XplaneRole::kMemoryLevel),
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

}  // namespace

std::string xplane_number_text(const XplaneStat& stat) {
  if (stat.kind == StatKind::kSigned) return fmt::to_string(static_cast<std::int64_t>(stat.number));
  return fmt::to_string(stat.number);
}

const XplaneStatNames::Entry& XplaneStatNames::entry(const XplaneStat& stat) {
  const auto [found, is_new] = entries_.try_emplace(stat.metadata_id);
  if (!is_new) return found->second;
  const auto name = plane_.stat_names.find(stat.metadata_id);
  if (name != plane_.stat_names.end()) {
    found->second = {std::string(name->second), role_of(name->second)};
  } else {
    found->second.name = fmt::format("stat {}", stat.metadata_id);
  }
  return found->second;
}

std::string_view XplaneStatNames::text(const XplaneStat& stat) const {
  if (stat.kind == StatKind::kText) return stat.bytes;
  if (stat.kind != StatKind::kName) return {};
  const auto name = plane_.stat_names.find(static_cast<std::int64_t>(stat.number));
  return name == plane_.stat_names.end() ? std::string_view() : name->second;
}

void XplaneStatNames::write(const XplaneStat& stat, schema::JsonWriter* json) {
  json->key_text(name(stat));
  switch (stat.kind) {
    case StatKind::kNone:
      return json->null();
    case StatKind::kDouble:
      return json->value(stat.real);
    case StatKind::kUnsigned:
    case StatKind::kSigned:
      if (is_exact(stat)) return json->value(static_cast<std::int64_t>(stat.number));
      return json->value(xplane_number_text(stat));
    case StatKind::kText:
      return json->value(stat.bytes);
    case StatKind::kBytes:
      return json->value(fmt::format("<{} bytes>", stat.bytes.size()));
    case StatKind::kGzip:
      return json->value(fmt::format("<{} bytes, gzip>", stat.bytes.size()));
    case StatKind::kName:
      if (plane_.stat_names.contains(static_cast<std::int64_t>(stat.number))) {
        return json->value(text(stat));
      }
      return json->null();
  }
}

void XplaneStatNames::write_as_text(const XplaneStat& stat, schema::JsonWriter* json) {
  if (stat.kind == StatKind::kUnsigned || stat.kind == StatKind::kSigned) {
    json->key_text(name(stat));
    json->value(xplane_number_text(stat));
  } else if (stat.kind == StatKind::kDouble) {
    json->key_text(name(stat));
    json->value(fmt::to_string(stat.real));
  } else {
    write(stat, json);
  }
}

}  // namespace benchhud::ingest
