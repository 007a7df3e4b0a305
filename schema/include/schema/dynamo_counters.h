// What TorchDynamo counted: groups of counters, as its own dictionary has them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace benchhud::schema {

/// torch._dynamo.utils.counters: {group: {counter: number}}, in the file's order.
struct DynamoCounters {
  using Counter = std::pair<std::string, std::int64_t>;
  std::vector<std::pair<std::string, std::vector<Counter>>> groups;
};

}  // namespace benchhud::schema
