// What the host did, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/slice_side.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

struct OperatorRow {
  std::string name, category;
  std::int64_t count = 0;
  /// ns; where one lies within another of the same name and category, only the outer one counts.
  std::int64_t total = 0;
  std::int64_t self = 0;    ///< ns without what lies within
  std::int64_t device = 0;  ///< ns on devices of what it launched, counted as `total`
  /// Of the self time of all work: all shares add up to 1. None of what only contains other slices
  /// (is_work() of label_class.h).
  std::optional<double> share;
};

/// The longest self time first.
struct OperatorTable {
  std::vector<OperatorRow> rows;
  std::int64_t rows_left_out = 0;
  std::int64_t left_out_count = 0, left_out_self = 0;  ///< what those make
  std::int64_t count = 0, self = 0;                    ///< of all
};

/// At most `most` rows. `device_times`: as device_time_of_slices() gives them.
OperatorTable operator_table(const TraceContext& context,
                             const std::vector<std::int64_t>& device_times, std::size_t most);

}  // namespace benchhud::analysis
