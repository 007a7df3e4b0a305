// What dynamo measured of its own compilations: torch._dynamo.utils.compile_times().
#pragma once

#include <numeric>
#include <string>
#include <vector>

namespace benchhud::schema {

/// Functions contain each other: their times do not add up to the compilation's.
struct CompileTimes {
  struct Function {
    std::string name;             ///< "_compile.compile_inner"
    std::vector<double> seconds;  ///< of each call, in the dump's order
    double total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
  };
  std::vector<Function> functions;
};

}  // namespace benchhud::schema
