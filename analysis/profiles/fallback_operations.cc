#include "analysis/profiles/fallback_operations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace benchhud::analysis {
namespace {

// Sums stay numbers, however large what is added.
void add(double number, double* sum) {
  if (!std::isfinite(number) || !(number > 0)) return;
  *sum = std::min(*sum + number, std::numeric_limits<double>::max());
}

}  // namespace

bool is_usual_fallback(std::string_view operation) {
  return operation == "aten::nonzero" || operation == "aten::_local_scalar_dense";
}

std::vector<FallbackOperation> fallback_operations(
    std::span<const std::vector<OperationTimes>> repetitions) {
  std::map<std::string_view, FallbackOperation> by_name;
  for (const auto& repetition : repetitions) {
    for (const auto& operation : repetition) {
      auto& sum = by_name[operation.name];
      add(operation.calls, &sum.times.calls);
      add(operation.self_cpu, &sum.times.self_cpu);
      add(operation.total_cpu, &sum.times.total_cpu);
      add(operation.self_cuda, &sum.times.self_cuda);
      add(operation.total_cuda, &sum.times.total_cuda);
      ++sum.repetitions;
    }
  }
  std::vector<FallbackOperation> found;
  found.reserve(by_name.size());
  for (auto& [name, operation] : by_name) {
    operation.times.name = name;
    operation.usual = is_usual_fallback(name);
    found.push_back(std::move(operation));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.usual, -a.times.total_cpu) < std::tuple(b.usual, -b.times.total_cpu);
  });
  return found;
}

}  // namespace benchhud::analysis
