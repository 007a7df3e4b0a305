// TORCH_TRACE logs of results: read from the store, and what differs between those of two results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/compilation_diff.h"
#include "schema/model/artifact.h"
#include "schema/results/reader.h"

namespace benchhud::service {

/// A log with all compilations that are kept of it. None of a dump of which nothing was kept.
schema::Expected<std::optional<analysis::CompilationLog>> compilation_log_of(
    schema::Reader& reader, schema::ArtifactId artifact);

/// Whether a result has a log of which something was kept.
schema::Expected<bool> has_compilation_log(schema::Reader& reader, schema::ArtifactResult result);

/// The logs of one process on two nights.
struct CompilationLogPair {
  schema::Artifact before, after;
  std::optional<std::int64_t> rank;
  analysis::CompilationDiff diff;
};

struct CompilationLogsDiff {
  std::vector<CompilationLogPair> pairs;  ///< by rank
  std::vector<std::string> unknown;       ///< sentences: logs that were not compared, and why
};

/// Compares the logs of two results rank by rank; several of one rank in the order in which they
/// were begun. One pair of logs is in memory at a time.
schema::Expected<CompilationLogsDiff> diff_of_compilations(schema::Reader& reader,
                                                           schema::ArtifactResult before,
                                                           schema::ArtifactResult after);

/// What changed in compilation, as analysis::compilation_parts(). Where ranks differ from each
/// other, a part for each whose changes are not those of a rank before it. Empty where nothing
/// changed, or nothing could be compared.
std::vector<std::string> compilation_parts(const CompilationLogsDiff& diff);
/// The same in one sentence without a full stop; "" where there is no part.
std::string compilation_sentence(const CompilationLogsDiff& diff);

}  // namespace benchhud::service
