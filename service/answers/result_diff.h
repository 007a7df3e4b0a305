// What differs between the dumps of two results: which stand against each other, and what the
// telling ones come to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/profile_findings.h"
#include "schema/model/artifact.h"
#include "schema/results/reader.h"

namespace benchhud::service {

/// Two dumps of one kind, repetition and part.
struct ArtifactPair {
  schema::Artifact before, after;
  bool is_telling = false;  ///< findings are of it, unless it was left out
  /// None where it was not compared: it tells less than others, or was left out.
  std::optional<std::vector<analysis::SectionDifference>> sections;
};

/// Dumps of one kind that belong together (a folder of IR has a file a module), added up and
/// compared: which file a module is in, and under which number, changes from night to night.
struct ArtifactSum {
  schema::ArtifactKind kind = schema::ArtifactKind::kIr;
  std::string part;                               ///< "hlo", "before_optimizations"
  std::size_t before_count = 0, after_count = 0;  ///< dumps
  std::vector<analysis::SectionDifference> sections;
};

/// Dumps that findings should be of and are not, since one answer reads no more than
/// kMostTextOfDiff.
struct LeftOut {
  schema::ArtifactKind kind = schema::ArtifactKind::kIr;
  std::string part;
  std::size_t dumps = 0;
  std::int64_t bytes = 0;
};

struct ResultDiff {
  std::vector<analysis::ProfileFinding> findings;
  std::vector<ArtifactSum> sums;
  std::vector<ArtifactPair> pairs;                        ///< by kind, repetition and part
  std::vector<schema::Artifact> only_before, only_after;  ///< without a counterpart
  std::vector<LeftOut> left_out;
};

/// So much text of dumps is read and compared for one answer, both sides together.
inline constexpr std::int64_t kMostTextOfDiff = std::int64_t{128} << 20;

/// Compares two dumps of one kind. One is in memory at a time, and only what it adds up is kept.
schema::Expected<std::vector<analysis::SectionDifference>> compare_artifacts(
    schema::Reader& reader, const schema::Artifact& before, const schema::Artifact& after);

/// Sets all dumps of two results against each other and compares those that tell most: of each
/// kind and part one repetition (what counters, compile times and graphs tell happens in the first,
/// which compiles; how fast a model is, in the last, behind the warm-up), of IR the sum of its
/// modules. `most_text`: kMostTextOfDiff, in bytes; what goes beyond it is left out and said.
schema::Expected<ResultDiff> diff_of_results(schema::Reader& reader, schema::ArtifactResult before,
                                             schema::ArtifactResult after,
                                             std::int64_t most_text = kMostTextOfDiff);

}  // namespace benchhud::service
