// A comparison of two runs as JSON.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/results/comparison_groups.h"
#include "schema/base/json_writer.h"

namespace benchhud::views {

/// The experiments that have dumps, on either side, and whether a profile is among them.
struct DumpedExperiments {
  std::unordered_map<schema::ExperimentId, bool> left, right;
};

/// The numbers of the rule by which verdicts are given.
void write_comparison_rule(schema::JsonWriter& json);
void write_comparison_row(schema::JsonWriter& json, const analysis::ComparisonRow& row,
                          const DumpedExperiments& dumped);
void write_comparison_group(schema::JsonWriter& json, const analysis::ComparisonGroup& group,
                            std::span<const analysis::SideMetric> metrics);

}  // namespace benchhud::views
