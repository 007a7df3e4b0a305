#include "service/answers/result_diff.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "service/answers/artifact_content.h"

namespace benchhud::service {

using analysis::ProfileComparison;
using analysis::ProfileSection;
using schema::Artifact;
using schema::ArtifactFilter;
using schema::ArtifactKind;
using schema::ArtifactResult;
using schema::Expected;

namespace {

using Repetition = std::optional<std::int64_t>;
using Artifacts = std::vector<const Artifact*>;

// Of a trace a digest is read, whose size its artifact does not tell.
constexpr std::int64_t kBytesOfDigest = 1 << 20;

std::int64_t bytes_of(const Artifact& artifact) {
  return artifact.kind == ArtifactKind::kTrace ? kBytesOfDigest : artifact.byte_count;
}

bool is_same(const Artifact& a, const Artifact& b) { return a.content_hash == b.content_hash; }

/// How much text may still be read.
class Budget {
 public:
  explicit Budget(std::int64_t bytes) : left_(bytes) {}
  bool spend(std::int64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::int64_t left_;
};

std::int64_t bytes_of(const Artifact& before, const Artifact& after) {
  return bytes_of(before) + (is_same(before, after) ? 0 : bytes_of(after));
}

auto place_of(const Artifact& artifact) {
  return std::tie(artifact.kind, artifact.repetition, artifact.part);
}

// A result's dumps that can be compared, each by what it is and of what.
Expected<std::vector<Artifact>> comparable_dumps(schema::Reader& reader, ArtifactResult result) {
  ArtifactFilter filter;
  filter.result = result;
  filter.with_superseded = false;
  filter.limit = std::numeric_limits<std::size_t>::max();
  BENCHHUD_ASSIGN(auto artifacts, reader.artifacts(filter));
  std::erase_if(artifacts, [](const Artifact& artifact) {
    return artifact.kind == ArtifactKind::kXplane || (!artifact.text && !artifact.trace);
  });
  std::sort(artifacts.begin(), artifacts.end(), [](const Artifact& a, const Artifact& b) {
    return std::tuple(place_of(a), a.id) < std::tuple(place_of(b), b.id);
  });
  return artifacts;
}

// Both sides are in the order of place_of().
void pair_up(std::vector<Artifact> before, std::vector<Artifact> after, ResultDiff* diff) {
  auto was = before.begin(), is = after.begin();
  while (was != before.end() && is != after.end()) {
    if (place_of(*was) < place_of(*is)) {
      diff->only_before.push_back(std::move(*was++));
    } else if (place_of(*is) < place_of(*was)) {
      diff->only_after.push_back(std::move(*is++));
    } else {
      diff->pairs.push_back({std::move(*was++), std::move(*is++), false, {}});
    }
  }
  std::move(was, before.end(), std::back_inserter(diff->only_before));
  std::move(is, after.end(), std::back_inserter(diff->only_after));
}

bool tells_most_at_first(ArtifactKind kind) {
  return kind != ArtifactKind::kTrace && kind != ArtifactKind::kOperatorTable;
}

// What is of no repetition tells only where nothing is of one.
bool tells_more(ArtifactKind kind, Repetition repetition, Repetition than) {
  if (!repetition || !than) return repetition.has_value() && !than.has_value();
  return tells_most_at_first(kind) ? *repetition < *than : *repetition > *than;
}

// Which dumps of IR belong together: files of modules by the pass before or behind which they were
// written, other dumps whatever their device.
std::string family_of_ir(const std::string& part) {
  if (part.starts_with("module_")) {
    for (const char* const pass : {"before_optimizations", "after_optimizations"}) {
      if (part.find(pass) != part.npos) return pass;
    }
    const std::string name = part.ends_with(".txt") ? part.substr(0, part.size() - 4) : part;
    return name.substr(name.rfind('.') + 1);
  }
  const std::size_t end = part.find_last_not_of("0123456789");
  return end != part.npos && end + 1 < part.size() && part[end] == '.' ? part.substr(0, end) : part;
}

std::string family_of(const Artifact& artifact) {
  return artifact.kind == ArtifactKind::kIr ? family_of_ir(artifact.part) : artifact.part;
}

/// Dumps of one kind and family.
struct Family {
  /// Of one repetition.
  struct Sides {
    Artifacts before, after;
    std::vector<ArtifactPair*> pairs;
  };
  std::map<Repetition, Sides> repetitions;

  /// The repetition that tells most of those that both sides have. Null: there is none.
  Sides* telling(ArtifactKind kind) {
    Sides* best = nullptr;
    Repetition of_best;
    for (auto& [repetition, sides] : repetitions) {
      if (sides.before.empty() || sides.after.empty()) continue;
      if (best == nullptr || tells_more(kind, repetition, of_best)) {
        best = &sides;
        of_best = repetition;
      }
    }
    return best;
  }
};

using Families = std::map<std::pair<ArtifactKind, std::string>, Family>;

Families families_of(ResultDiff* diff) {
  Families families;
  const auto at = [&](const Artifact& artifact) -> Family::Sides& {
    return families[{artifact.kind, family_of(artifact)}].repetitions[artifact.repetition];
  };
  for (ArtifactPair& pair : diff->pairs) {
    Family::Sides& sides = at(pair.before);
    sides.before.push_back(&pair.before);
    sides.after.push_back(&pair.after);
    sides.pairs.push_back(&pair);
  }
  // Only modules are found again in files of other names.
  for (const Artifact& artifact : diff->only_before) {
    if (artifact.kind == ArtifactKind::kIr) at(artifact).before.push_back(&artifact);
  }
  for (const Artifact& artifact : diff->only_after) {
    if (artifact.kind == ArtifactKind::kIr) at(artifact).after.push_back(&artifact);
  }
  return families;
}

Expected<std::vector<ProfileSection>> sum_of(schema::Reader& reader, const Artifacts& artifacts) {
  std::vector<ProfileSection> sum;
  for (const Artifact* artifact : artifacts) {
    BENCHHUD_ASSIGN(auto sections, sections_of(reader, *artifact));
    add_sections(std::move(sections), &sum);
  }
  return sum;
}

std::int64_t bytes_of(const Artifacts& artifacts) {
  std::int64_t sum = 0;
  for (const Artifact* artifact : artifacts) sum += bytes_of(*artifact);
  return sum;
}

// What may be summed: all dumps of both sides, or, where that is too much, only pairs, as many as
// there is room for: each side has to lack the same.
std::pair<Artifacts, Artifacts> affordable(const Family::Sides& sides, Budget* budget) {
  if (budget->spend(bytes_of(sides.before) + bytes_of(sides.after))) {
    return {sides.before, sides.after};
  }
  Artifacts before, after;
  for (const ArtifactPair* pair : sides.pairs) {
    if (!budget->spend(bytes_of(pair->before) + bytes_of(pair->after))) continue;
    before.push_back(&pair->before);
    after.push_back(&pair->after);
  }
  return {std::move(before), std::move(after)};
}

/// Compares what tells most, as far as the budget reaches.
class Telling {
 public:
  Telling(schema::Reader& reader, std::int64_t most_text, ResultDiff* diff)
      : reader_(reader), budget_(most_text), diff_(diff) {}

  Expected<void> compare(Families* families) {
    // Kinds in their order, but IR, which may be any amount of text, last.
    for (const bool is_ir : {false, true}) {
      for (auto& [key, family] : *families) {
        const auto& [kind, part] = key;
        Family::Sides* const sides = family.telling(kind);
        if (sides == nullptr || (kind == ArtifactKind::kIr) != is_ir) continue;
        const bool is_one_pair =
            sides->before.size() == 1 && sides->after.size() == 1 && sides->pairs.size() == 1;
        if (is_ir && !is_one_pair) {
          BENCHHUD_TRY(compare_sums(part, *sides));
        } else {
          BENCHHUD_TRY(compare_pair(kind, part, sides->pairs.front()));
        }
      }
    }
    forget_only_parts();
    diff_->findings = analysis::profile_findings(comparisons_);
    return {};
  }

 private:
  // A part is said where findings are of several.
  void forget_only_parts() {
    std::map<ArtifactKind, int> counts;
    for (const ProfileComparison& comparison : comparisons_) ++counts[comparison.kind];
    for (ProfileComparison& comparison : comparisons_) {
      if (counts[comparison.kind] == 1) comparison.part.clear();
    }
  }

  Expected<void> compare_pair(ArtifactKind kind, const std::string& part, ArtifactPair* pair) {
    pair->is_telling = true;
    const std::int64_t bytes = bytes_of(pair->before, pair->after);
    if (!budget_.spend(bytes)) {
      diff_->left_out.push_back({kind, part, 2, bytes});
      return {};
    }
    BENCHHUD_ASSIGN(pair->sections, compare_artifacts(reader_, pair->before, pair->after));
    comparisons_.push_back({kind, part, *pair->sections});
    return {};
  }

  Expected<void> compare_sums(const std::string& part, const Family::Sides& sides) {
    const auto [before, after] = affordable(sides, &budget_);
    const std::size_t all = sides.before.size() + sides.after.size();
    const std::size_t summed = before.size() + after.size();
    if (summed < all) {
      const std::int64_t bytes =
          bytes_of(sides.before) + bytes_of(sides.after) - bytes_of(before) - bytes_of(after);
      diff_->left_out.push_back({ArtifactKind::kIr, part, all - summed, bytes});
    }
    if (summed == 0) return {};
    BENCHHUD_ASSIGN(const auto was, sum_of(reader_, before));
    BENCHHUD_ASSIGN(const auto is, sum_of(reader_, after));
    ArtifactSum& sum = diff_->sums.emplace_back(ArtifactSum{
        ArtifactKind::kIr, part, before.size(), after.size(), analysis::compare_sections(was, is)});
    comparisons_.push_back({sum.kind, part, sum.sections});
    return {};
  }

  schema::Reader& reader_;
  Budget budget_;
  ResultDiff* diff_;
  std::vector<ProfileComparison> comparisons_;
};

}  // namespace

Expected<std::vector<analysis::SectionDifference>> compare_artifacts(schema::Reader& reader,
                                                                     const Artifact& before,
                                                                     const Artifact& after) {
  BENCHHUD_ASSIGN(const auto was, sections_of(reader, before));
  if (is_same(before, after)) return analysis::compare_sections(was, was);
  BENCHHUD_ASSIGN(const auto is, sections_of(reader, after));
  return analysis::compare_sections(was, is);
}

Expected<ResultDiff> diff_of_results(schema::Reader& reader, ArtifactResult before,
                                     ArtifactResult after, std::int64_t most_text) {
  BENCHHUD_ASSIGN(auto was, comparable_dumps(reader, before));
  BENCHHUD_ASSIGN(auto is, comparable_dumps(reader, after));
  ResultDiff diff;
  pair_up(std::move(was), std::move(is), &diff);
  Families families = families_of(&diff);
  BENCHHUD_TRY(Telling(reader, most_text, &diff).compare(&families));
  return diff;
}

}  // namespace benchhud::service
