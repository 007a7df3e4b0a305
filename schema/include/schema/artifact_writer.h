// Takes dumps into the store. The caller holds the write transaction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/artifact.h"
#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::schema {

/// What the store knows of a file that it has read before.
struct KnownArtifact {
  ArtifactId id{};
  bool has_ties = false;
  std::int64_t problem_count = 0;
  std::optional<std::string> error;
};

/// The artifact that was last read at `path`, if the file has the size and time that it had then.
Expected<std::optional<KnownArtifact>> find_unchanged(Connection& connection, std::string_view path,
                                                      std::int64_t disk_size,
                                                      std::int64_t modified_ns);

/// The artifact of that name and content that belongs to one of `ties`; where there are none, one
/// that is an orphan as well; where only the new one has ties, an orphan that they make theirs.
Expected<std::optional<KnownArtifact>> find_same(Connection& connection, std::string_view name,
                                                 const ContentHash& hash,
                                                 const std::vector<ResultKey>& ties);

Expected<ArtifactId> put_artifact(Connection& connection, const NewArtifact& artifact);

/// Ties an artifact that is there to these results as well, and notes where and as what file it was
/// read. Returns whether a tie was new.
Expected<bool> add_ties(Connection& connection, ArtifactId id, const std::vector<ResultKey>& ties);
Expected<void> note_file(Connection& connection, ArtifactId id, std::string_view path,
                         std::int64_t disk_size, std::int64_t modified_ns);

/// Gives an artifact what its trace tells. For who derives it anew.
Expected<void> set_report(Connection& connection, ArtifactId id, TextId report);

/// The result that a run's line gives: of the timing that counts, else of any line. Error:
/// kNotFound.
Expected<ResultKey> key_of_result(Connection& connection, RunId run, ExperimentId experiment);

}  // namespace benchhud::schema
