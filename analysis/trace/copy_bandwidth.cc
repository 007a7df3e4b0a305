#include "analysis/trace/copy_bandwidth.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using trace::TraceBandwidth;
using trace::TraceSlice;

namespace {

constexpr double kLeastNanoseconds = 1000;

bool is_amount(double number) { return std::isfinite(number) && number > 0; }

}  // namespace

std::optional<double> CopyRow::mean_bandwidth() const {
  if (nanoseconds <= 0) return std::nullopt;
  return bytes / nanoseconds;
}

std::vector<CopyRow> copy_bandwidths(const TraceContext& context, std::size_t most,
                                     std::int64_t* left_out) {
  const trace::Trace& trace = context.trace();
  std::vector<CopyRow> rows;
  std::unordered_map<std::uint32_t, std::size_t> places;  // by name
  const auto name_of = [&](const TraceSlice& slice) { return trace.labels[slice.label].name; };
  for (const DeviceSlice& device : context.device()) {
    if (device.kind != DeviceSlice::Kind::kMemcpy && device.kind != DeviceSlice::Kind::kMemset) {
      continue;
    }
    const TraceSlice& slice = context.slice(device.slice);
    const auto [at, is_new] = places.try_emplace(name_of(slice), rows.size());
    if (is_new) rows.emplace_back().name = trace.name(slice);
    rows[at->second].time.add(slice.duration);
  }
  for (const TraceBandwidth& stated : trace.bandwidths) {
    const SliceSide side = context.side(stated.slice);
    if (side != SliceSide::kMemcpy && side != SliceSide::kMemset) continue;
    if (context.is_set_aside(stated.slice)) continue;
    if (!is_amount(stated.bytes) && !is_amount(stated.gigabytes_per_second)) continue;
    const TraceSlice& slice = context.slice(stated.slice);
    CopyRow& row = rows[places.at(name_of(slice))];
    const double ns = slice.duration > 0 ? static_cast<double>(slice.duration) : kLeastNanoseconds;
    ++row.stated;
    row.nanoseconds += ns;
    row.bytes += is_amount(stated.bytes) ? stated.bytes : stated.gigabytes_per_second * ns;
    if (is_amount(stated.gigabytes_per_second)) {
      row.fastest = std::max(row.fastest, stated.gigabytes_per_second);
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CopyRow& a, const CopyRow& b) { return a.time.total > b.time.total; });
  *left_out = truncate_rows(&rows, most);
  return rows;
}

}  // namespace benchhud::analysis
