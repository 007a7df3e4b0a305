// Reads dynamo's counters.
#pragma once

#include <string_view>
#include <vector>

#include "schema/model/profile.h"

namespace benchhud::ingest {

struct DynamoCountersText {
  schema::DynamoCounters counters;
  std::vector<schema::DumpProblem> problems;
};

/// Reads torch._dynamo.utils.counters as the runner dumps it, a JSON object {group: {counter: n}},
/// or as Python prints it (`defaultdict(…, {'frames': Counter({'total': 2})})`). A counter that is
/// no whole number (null, NaN, a text) and a group that is none are problems and left out; of a
/// text that ends early the rest is read.
DynamoCountersText read_dynamo_counters(std::string_view text);

}  // namespace benchhud::ingest
