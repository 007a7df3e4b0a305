#include "analysis/trace/trace_unknowns.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/text/quantity_text.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::analysis {
namespace {

// "“ipc”, “xpu_runtime” and 3 more"
std::string names_text(const std::set<std::string_view>& categories) {
  constexpr std::size_t kMostNames = 3, kMostBytes = 40;
  std::string text;
  std::size_t said = 0;
  for (const std::string_view category : categories) {
    if (said == kMostNames) break;
    text += fmt::format("{}{}", said++ ? ", " : "",
                        category.empty() ? "none" : schema::beginning_of(category, kMostBytes));
  }
  if (categories.size() > said) text += fmt::format(" and {} more", categories.size() - said);
  return text;
}

std::string why_no_device(const trace::Trace& trace, const std::vector<SliceSide>& sides) {
  std::vector<bool> is_placed(trace.threads.size());
  for (const trace::TraceSlice& slice : trace.slices) {
    if (sides[slice.label] != SliceSide::kOther) is_placed[slice.thread] = true;
  }
  std::int64_t slices = 0;
  std::set<std::uint32_t> threads;
  std::set<std::string_view> categories;
  for (const trace::TraceSlice& slice : trace.slices) {
    if (is_placed[slice.thread]) continue;
    ++slices;
    threads.insert(slice.thread);
    categories.insert(trace.category(slice));
  }
  if (slices == 0) return "";
  return fmt::format("{} on {} may be a device's: benchhud does not know their categories ({}).",
                     count_text(slices, "slice"),
                     count_text(static_cast<std::int64_t>(threads.size()), "track"),
                     names_text(categories));
}

}  // namespace

TraceUnknowns trace_unknowns(const trace::Trace& trace, const std::vector<SliceSide>& sides,
                             const std::vector<DeviceSlice>& device) {
  TraceUnknowns unknowns;
  if (device.empty()) {
    unknowns.device = why_no_device(trace, sides);
    if (!unknowns.device.empty()) unknowns.launches = unknowns.device;
  } else if (std::none_of(device.begin(), device.end(), [](const DeviceSlice& slice) {
               return slice.launch != trace::kNoSlice;
             })) {
    unknowns.launches = fmt::format(
        "The calls that launched the {} on devices are not in the trace, or of a runtime that "
        "benchhud does not know.",
        count_text(static_cast<std::int64_t>(device.size()), "slice"));
  }
  return unknowns;
}

}  // namespace benchhud::analysis
