// What two profiles' differences come to, in sentences, the weightiest first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/profiles/profile_sections.h"
#include "schema/model/artifact.h"

namespace benchhud::analysis {

/// The differences of two dumps of one kind, or of the sums of several.
struct ProfileComparison {
  schema::ArtifactKind kind = schema::ArtifactKind::kTrace;
  std::string part;  ///< what tells them from others of their kind; "" where nothing need
  std::vector<SectionDifference> sections;
};

struct ProfileFinding {
  enum class Topic : std::uint8_t {
    kGraphBreaks,
    kRecompilations,
    kFallbacks,    ///< operations that go back from the device to the CPU
    kOperators,    ///< what a time went to
    kCompilation,  ///< what was compiled, and for how long
    kIr,
  };
  Topic topic = Topic::kOperators;
  schema::ArtifactKind kind = schema::ArtifactKind::kTrace;  ///< the dump that says it
  std::string part;                                          ///< of ProfileComparison
  std::string sentence;
  /// The names that the sentence is about, those with the largest part first.
  std::vector<std::string> names;
};

/// "graph_breaks", "recompilations", "fallbacks", "operators", "compilation", "ir".
std::string_view topic_name(ProfileFinding::Topic topic);

/// Counts that are properties of a model (graph breaks and their reasons, recompilations, fallback
/// operations, graphs, IR) are said whenever they differ at all. Times are said where a total
/// changed by kWorthSaying of it, with what appeared, went or changed most and its share in the
/// change; where there is no total, each time that changed by kWorthSaying of itself, and
/// PyTorch/XLA's CompileTime apart. An operator that appeared or went is named once a dump, with
/// the largest of its times. Counters of caches (is_of_cache()) are not said.
std::vector<ProfileFinding> profile_findings(const std::vector<ProfileComparison>& comparisons);

}  // namespace benchhud::analysis
