// Logs of TORCH_TRACE in the store: their compilations, and the texts that these put out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "schema/model/torch_trace.h"

namespace benchhud::schema {

/// Writes a log whose texts are stored already. The caller holds the write transaction.
Expected<void> put_torch_trace(Connection& connection, ArtifactId artifact,
                               const TorchTraceLog& log);

/// Deletes what was written of a log; nothing happens where nothing was. Its texts are deleted by
/// delete_unused_texts(). The caller holds the write transaction.
Expected<void> delete_torch_trace(Connection& connection, ArtifactId artifact);

/// What a log says as a whole; none of a dump of which nothing was written.
Expected<std::optional<TorchTraceSummary>> torch_trace_of(Connection& connection,
                                                          ArtifactId artifact);

/// A compilation with its place in the log.
struct StoredCompilation {
  std::int64_t ordinal = 0;  ///< from 0
  Compilation compilation;
};

/// The compilations of a log behind the one at `after` (-1: from the first), at most `limit`.
Expected<std::vector<StoredCompilation>> compilations_of(Connection& connection,
                                                         ArtifactId artifact, std::int64_t after,
                                                         std::size_t limit);

/// A text that a compilation put out, with its place in the log.
struct StoredOutput {
  std::int64_t ordinal = 0;  ///< from 0
  CompilationOutput output;
};

/// So many outputs are listed of one compilation, and of a log; how many there are is said.
inline constexpr std::size_t kMostListedOutputs = 500;

/// What a compilation put out, at most `limit`; without `compilation`: what is of no compile id.
Expected<std::vector<StoredOutput>> outputs_of(Connection& connection, ArtifactId artifact,
                                               std::optional<std::int64_t> compilation,
                                               std::size_t limit);
/// What the compilations of a log put out, by the ordinal of the compilation.
Expected<std::map<std::int64_t, std::vector<StoredOutput>>> outputs_by_compilation(
    Connection& connection, ArtifactId artifact);
/// How much there is of what outputs_of() gives.
Expected<std::int64_t> output_count_of(Connection& connection, ArtifactId artifact,
                                       std::optional<std::int64_t> compilation);

/// The runs in which an experiment's result has a log of which something is kept, superseded ones
/// included.
Expected<std::vector<RunId>> runs_with_torch_trace(Connection& connection, ExperimentId experiment);

/// One text. Error: kNotFound.
Expected<StoredOutput> output_at(Connection& connection, ArtifactId artifact, std::int64_t ordinal);

}  // namespace benchhud::schema
