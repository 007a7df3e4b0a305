#include "analysis/results/run_pairs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace benchhud::analysis {
namespace {

/// All that must be equal but for the batch size. Backend and configuration are "" where the sides
/// have different backends.
using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                       std::string_view>;
using BatchSize = std::optional<std::int64_t>;

struct Candidates {
  std::map<BatchSize, PairedSide> left, right;
};

Absence absence_of(const ResultView& view) {
  switch (view.status) {
    case Status::kTimed:
      return Absence::kTooFewSamples;
    case Status::kSkipped:
      return Absence::kSkipped;
    case Status::kNotTimed:
      return Absence::kNotTimed;
    case Status::kFailed:
      break;
  }
  switch (view.failure->error->kind) {
    case ErrorKind::kTimedOut:
      return Absence::kTimedOut;
    case ErrorKind::kOutOfMemory:
      return Absence::kOutOfMemory;
    case ErrorKind::kCrashed:
      return Absence::kCrashed;
    case ErrorKind::kSkipped:
    case ErrorKind::kException:
    case ErrorKind::kOther:
      break;
  }
  return Absence::kRaised;
}

PairedSide side_of(const CatalogEntry& entry, const ResultView& view) {
  PairedSide side{&entry, &view, {}};
  if (!view.steady) side.absent = absence_of(view);
  return side;
}

/// Of two configurations that could stand for one backend the one that does.
bool stands_before(const PairedSide& a, const PairedSide& b) {
  const auto rank = [](const PairedSide& side) {
    return std::tuple(side.absent.has_value(), side.entry->configuration().size(),
                      std::string_view(side.entry->configuration()));
  };
  return rank(a) < rank(b);
}

void gather(const PairedRun& from, const Catalog& catalog, bool by_configuration,
            std::map<BatchSize, PairedSide> Candidates::* side, std::map<Key, Candidates>* all) {
  for (const ResultView& view : from.run.results) {
    const CatalogEntry* entry = catalog.find(view.experiment);
    if (entry == nullptr) continue;
    if (!from.backend.empty() && entry->backend() != from.backend &&
        entry->column() != from.backend) {
      continue;
    }
    const auto& e = entry->experiment();
    Key key{e.suite, e.model, e.test, {}, {}};
    if (by_configuration) {
      std::get<3>(key) = entry->backend();
      std::get<4>(key) = entry->configuration();
    }
    const PairedSide one = side_of(*entry, view);
    const auto [place, is_new] = ((*all)[key].*side).try_emplace(e.batch_size, one);
    if (!is_new && stands_before(one, place->second)) place->second = one;
  }
}

PairedSide nothing(bool has_other_sizes) {
  return {nullptr, nullptr, has_other_sizes ? Absence::kBatchSizeDiffers : Absence::kNotRun};
}

/// Takes out of both what has one batch size.
std::vector<ResultPair> pairs_of(Candidates candidates) {
  auto& [left, right] = candidates;
  const bool has_left = !left.empty(), has_right = !right.empty();
  std::vector<ResultPair> pairs;
  for (auto at = left.begin(); at != left.end();) {
    const auto other = right.find(at->first);
    if (other == right.end()) {
      ++at;
      continue;
    }
    pairs.push_back({at->second, other->second});
    right.erase(other);
    at = left.erase(at);
  }
  const bool one_each = left.size() == 1 && right.size() == 1;
  if (one_each && (!left.begin()->first || !right.begin()->first)) {
    pairs.push_back({left.begin()->second, right.begin()->second});
    return pairs;
  }
  for (const auto& [size, side] : left) pairs.push_back({side, nothing(has_right)});
  for (const auto& [size, side] : right) pairs.push_back({nothing(has_left), side});
  return pairs;
}

}  // namespace

std::string_view absence_name(Absence absence) {
  switch (absence) {
    case Absence::kNotRun:
      return "not_run";
    case Absence::kBatchSizeDiffers:
      return "batch_size_differs";
    case Absence::kNotTimed:
      return "not_timed";
    case Absence::kSkipped:
      return "skipped";
    case Absence::kCrashed:
      return "crashed";
    case Absence::kTimedOut:
      return "timed_out";
    case Absence::kOutOfMemory:
      return "out_of_memory";
    case Absence::kRaised:
      return "raised";
    case Absence::kTooFewSamples:
      return "too_few_samples";
  }
  return "not_run";
}

std::vector<ResultPair> pair_results(const PairedRun& left, const PairedRun& right,
                                     const Catalog& catalog) {
  const bool by_configuration = left.backend == right.backend;
  std::map<Key, Candidates> candidates;
  gather(left, catalog, by_configuration, &Candidates::left, &candidates);
  gather(right, catalog, by_configuration, &Candidates::right, &candidates);
  std::vector<ResultPair> pairs;
  for (auto& [key, sides] : candidates) {
    auto found = pairs_of(std::move(sides));
    std::stable_sort(found.begin(), found.end(), [](const ResultPair& a, const ResultPair& b) {
      return a.entry().experiment().batch_size < b.entry().experiment().batch_size;
    });
    pairs.insert(pairs.end(), found.begin(), found.end());
  }
  return pairs;
}

}  // namespace benchhud::analysis
