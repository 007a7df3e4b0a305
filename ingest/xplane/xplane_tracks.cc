#include "ingest/xplane/xplane_tracks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace benchhud::ingest {
namespace {

using namespace std::string_view_literals;

// XProf's ids of the lines that it makes: some 60, as 32 bits, signed or not.
bool is_derived_id(std::int64_t id) {
  constexpr std::int64_t kFirst = 0xdeadbeef, kCount = 1024;
  constexpr std::int64_t kAsSigned = kFirst - (std::int64_t{1} << 32);
  const auto is_from = [id](std::int64_t first) { return first <= id && id < first + kCount; };
  return is_from(kFirst) || is_from(kAsSigned);
}

bool is_derived_name(std::string_view name) {
  constexpr std::array kNames = {"Launch Stats"sv, "Framework Name Scope"sv,  "Framework Ops"sv,
                                 "Source code"sv,  "TensorFlow Name Scope"sv, "TensorFlow Ops"sv};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string_view tpu_category(std::string_view line) {
  constexpr std::array kCategories = {
      std::pair("XLA Ops"sv, "xla_op"sv),
      std::pair("Sparse Core Ops"sv, "xla_op"sv),
      std::pair("XLA Modules"sv, "xla_module"sv),
      std::pair("Sparse Core Modules"sv, "xla_module"sv),
      std::pair("Steps"sv, "step"sv),
      std::pair("Sparse Core Steps"sv, "step"sv),
      std::pair("XLA TraceMe"sv, "xla_traceme"sv),
      std::pair("Async XLA Ops"sv, "xla_async_op"sv),
  };
  for (const auto& [name, category] : kCategories) {
    if (line == name) return category;
  }
  return "device";
}

}  // namespace

XplaneFamily xplane_family(std::string_view plane_name) {
  if (plane_name.starts_with("/host:")) return XplaneFamily::kHost;
  if (plane_name.starts_with("/device:GPU:")) return XplaneFamily::kGpu;
  if (plane_name.starts_with("/device:TPU:")) return XplaneFamily::kTpu;
  if (plane_name.starts_with("/device:CUSTOM:")) return XplaneFamily::kCustom;
  if (plane_name.starts_with("/device:") || plane_name.starts_with("#Chip")) {
    return XplaneFamily::kDevice;
  }
  return XplaneFamily::kOther;
}

std::int64_t xplane_ordinal(std::string_view plane_name) {
  const std::size_t colon = plane_name.rfind(':');
  if (colon == plane_name.npos) return 0;
  std::int64_t ordinal = 0;
  std::from_chars(plane_name.data() + colon + 1, plane_name.data() + plane_name.size(), ordinal);
  return ordinal;
}

XplaneTrack xplane_track(XplaneFamily family, const XplaneLine& line) {
  XplaneTrack track;
  track.is_counter = line.name == "_counters_" || line.name.starts_with("counters_");
  switch (family) {
    case XplaneFamily::kHost:
      track.category = "host";
      return track;
    case XplaneFamily::kOther:
      track.category = "other";
      return track;
    case XplaneFamily::kCustom:
      track.category = "custom";
      return track;
    default:
      break;
  }
  track.category = "device";
  if (is_derived_id(line.id) || is_derived_name(line.name)) {
    track.category = "gpu_derived";
  } else if (family == XplaneFamily::kGpu && line.name.starts_with("Stream #")) {
    track.category = "kernel";
    track.is_stream = true;
  } else if (family == XplaneFamily::kTpu) {
    track.category = tpu_category(line.name);
    track.is_async = track.category == "xla_async_op";
  }
  return track;
}

}  // namespace benchhud::ingest
