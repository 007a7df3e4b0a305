// Takes dumps into the store. The caller holds the write transaction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::schema {

/// What the store knows of a file that it has read before.
struct KnownArtifact {
  ArtifactId id{};
  bool has_ties = false;
  std::int64_t problem_count = 0;
  std::optional<std::string> error;
  bool is_pruned = false;  ///< its content was taken away, and stays so
};

/// The artifact that was last read at `path`, if the file has the size and time that it had then.
Expected<std::optional<KnownArtifact>> find_unchanged(Connection& connection, std::string_view path,
                                                      const FileStamp& file);

/// The artifact that a file of that name and content is, if it is in the store: one that belongs to
/// one of `ties`, else an orphan, which they make theirs. Two nights' counters can be the same
/// byte for byte and are two dumps; what holds times of day or durations is_unique(), and is the
/// same dump wherever it is found.
Expected<std::optional<KnownArtifact>> find_same(Connection& connection, ArtifactKind kind,
                                                 std::string_view name, const ContentHash& hash,
                                                 const std::vector<ResultKey>& ties);
bool is_unique(ArtifactKind kind);

Expected<ArtifactId> put_artifact(Connection& connection, const NewArtifact& artifact);

/// Ties an artifact that is there to these results as well. Returns whether a tie was new.
Expected<bool> add_ties(Connection& connection, ArtifactId id, const std::vector<ResultKey>& ties);
/// The same of those among `ties` that are of an invocation to whose results it belongs already: a
/// results file that grew by a night does not make last night's dumps that night's.
Expected<bool> add_ties_of_invocation(Connection& connection, ArtifactId id,
                                      const std::vector<ResultKey>& ties);
/// Notes that it was read at `path`; a dump may lie in several places.
Expected<void> note_file(Connection& connection, ArtifactId id, std::string_view path,
                         const FileStamp& file);

/// Forgets a dump, with its files and ties; what it refers to stays.
Expected<void> forget_artifact(Connection& connection, ArtifactId id);
/// The digest of a trace as the newest of its artifacts that has one has it.
Expected<std::optional<TextId>> digest_of_trace(Connection& connection, TraceId trace);
/// Gives an artifact the digest of its trace, in place of one that it has.
Expected<void> set_digest(Connection& connection, ArtifactId id, TextId digest);

/// The result that a run's line gives: of the timing that counts, else of any line. Error:
/// kNotFound.
Expected<ResultKey> key_of_result(Connection& connection, RunId run, ExperimentId experiment);

}  // namespace benchhud::schema
