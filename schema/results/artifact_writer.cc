#include "schema/results/artifact_writer.h"

#include <algorithm>

#include "schema/base/time.h"
#include "schema/db/rows.h"
#include "schema/queries.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

KnownArtifact read_known(const Statement& row) {
  KnownArtifact known;
  known.id = ArtifactId(row.integer(0));
  known.has_ties = row.integer(1) != 0;
  known.problem_count = row.integer(2);
  known.error = row.optional_text(3);
  known.is_pruned = row.integer(4) != 0;
  return known;
}

Expected<bool> has_any(Connection& connection, ArtifactId id, const std::vector<ResultKey>& ties) {
  Statement query = connection.cached(sql::kHasArtifactTie);
  for (const ResultKey& key : ties) {
    query.bind(1, id).bind_blob_view(2, key.experiment.view()).bind(3, key.timestamp);
    const bool found = query.step();
    BENCHHUD_TRY(query.status());
    query.reset();
    if (found) return true;
  }
  return false;
}

Expected<bool> insert_ties(Connection& connection, ArtifactId id,
                           const std::vector<ResultKey>& ties) {
  bool is_new = false;
  for (const ResultKey& key : ties) {
    Statement insert = connection.cached(sql::kInsertArtifactTie);
    insert.bind(1, id).bind_blob_view(2, key.experiment.view()).bind(3, key.timestamp);
    BENCHHUD_TRY(insert.run());
    is_new |= connection.changes() > 0;
  }
  return is_new;
}

}  // namespace

Expected<std::optional<KnownArtifact>> find_unchanged(Connection& connection, std::string_view path,
                                                      const FileStamp& file) {
  Statement query = connection.cached(sql::kFindUnchangedArtifact);
  query.bind(1, path).bind(2, file.disk_size).bind(3, file.modified_ns);
  BENCHHUD_ASSIGN(const auto found, collect(query, read_known));
  if (found.empty()) return std::optional<KnownArtifact>();
  return std::optional(found.front());
}

bool is_unique(ArtifactKind kind) {
  return kind == ArtifactKind::kTrace || kind == ArtifactKind::kOperatorTable ||
         kind == ArtifactKind::kTorchTrace;
}

Expected<std::optional<KnownArtifact>> find_same(Connection& connection, ArtifactKind kind,
                                                 std::string_view name, const ContentHash& hash,
                                                 const std::vector<ResultKey>& ties) {
  Statement query = connection.cached(sql::kArtifactsOfContent);
  query.bind(1, name).bind_blob_view(2, hash.view()).bind(3, artifact_kind_name(kind));
  BENCHHUD_ASSIGN(const auto candidates, collect(query, read_known));
  std::optional<KnownArtifact> orphan;
  for (const KnownArtifact& candidate : candidates) {
    if (!candidate.has_ties) {
      if (!orphan) orphan = candidate;
      continue;
    }
    BENCHHUD_ASSIGN(const bool is_same, has_any(connection, candidate.id, ties));
    if (is_same || is_unique(kind)) return std::optional(candidate);
  }
  return orphan;
}

Expected<ArtifactId> put_artifact(Connection& connection, const NewArtifact& artifact) {
  Statement insert = connection.cached(sql::kInsertArtifact);
  insert.bind(1, artifact_kind_name(artifact.kind)).bind(2, artifact.name);
  insert.bind(3, artifact.path).bind(4, artifact.base).bind(5, artifact.model);
  insert.bind(6, artifact.repetition).bind(7, artifact.part);
  insert.bind_blob_view(8, artifact.hash.view()).bind(9, artifact.byte_count);
  insert.bind(10, now()).bind(11, artifact.problem_count).bind(12, artifact.error);
  insert.bind(13, artifact.text).bind(14, artifact.trace).bind(15, artifact.digest);
  BENCHHUD_TRY(insert.run());
  const auto id = ArtifactId(connection.last_insert_id());
  BENCHHUD_TRY(note_file(connection, id, artifact.path, artifact.file));
  BENCHHUD_ASSIGN([[maybe_unused]] const bool is_new, insert_ties(connection, id, artifact.ties));
  BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  return id;
}

Expected<bool> add_ties(Connection& connection, ArtifactId id, const std::vector<ResultKey>& ties) {
  BENCHHUD_ASSIGN(const bool is_new, insert_ties(connection, id, ties));
  if (is_new) {
    BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  }
  return is_new;
}

Expected<bool> add_ties_of_invocation(Connection& connection, ArtifactId id,
                                      const std::vector<ResultKey>& ties) {
  Statement query = connection.cached(sql::kTimestampsOfArtifact);
  query.bind(1, id);
  BENCHHUD_ASSIGN(const auto timestamps,
                  collect(query, [](const Statement& row) { return row.real(0); }));
  std::vector<ResultKey> its;
  for (const ResultKey& key : ties) {
    if (std::find(timestamps.begin(), timestamps.end(), key.timestamp) != timestamps.end()) {
      its.push_back(key);
    }
  }
  return add_ties(connection, id, its);
}

Expected<void> note_file(Connection& connection, ArtifactId id, std::string_view path,
                         const FileStamp& file) {
  Statement put = connection.cached(sql::kPutArtifactFile);
  return put.bind(1, path).bind(2, id).bind(3, file.disk_size).bind(4, file.modified_ns).run();
}

Expected<void> forget_artifact(Connection& connection, ArtifactId id) {
  for (const std::string_view sql :
       {sql::kDeleteArtifactFiles, sql::kDeleteArtifactTies, sql::kDeleteArtifact}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, id).run());
  }
  return {};
}

Expected<std::optional<TextId>> digest_of_trace(Connection& connection, TraceId trace) {
  Statement query = connection.cached(sql::kDigestOfTrace);
  query.bind(1, trace);
  return one(query, [](const Statement& row) { return optional_id<TextId>(row, 0); }, "digest");
}

Expected<void> set_digest(Connection& connection, ArtifactId id, TextId digest) {
  BENCHHUD_TRY(connection.cached(sql::kSetArtifactReport).bind(1, id).bind(2, digest).run());
  BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  return {};
}

Expected<ResultKey> key_of_result(Connection& connection, RunId run, ExperimentId experiment) {
  Statement query = connection.cached(sql::kKeyOfResult);
  query.bind(1, run).bind(2, experiment);
  return one(
      query,
      [](const Statement& row) {
        ResultKey key;
        row.blob(0).copy(key.experiment.bytes.data(), key.experiment.bytes.size());
        key.timestamp = row.real(1);
        return key;
      },
      "such result");
}

}  // namespace benchhud::schema
