// Reader: dumps and the results that they belong to.

#include <fmt/format.h>

#include <limits>

#include "schema/base/content_hash.h"
#include "schema/db/rows.h"
#include "schema/queries.h"
#include "schema/results/reader.h"

namespace benchhud::schema {
namespace {

Artifact read_artifact(const Statement& row) {
  Artifact artifact;
  artifact.id = ArtifactId(row.integer(0));
  artifact.kind = artifact_kind_of(row.text(1)).value_or(ArtifactKind::kXplane);
  artifact.name = row.text(2);
  artifact.path = row.text(3);
  artifact.base = row.text(4);
  artifact.model = row.text(5);
  artifact.repetition = row.optional_integer(6);
  artifact.part = row.text(7);
  artifact.content_hash = hash_of(row, 8).hex();
  artifact.byte_count = row.integer(9);
  artifact.ingested_at = row.real(10);
  artifact.problem_count = row.integer(11);
  artifact.error = row.optional_text(12);
  artifact.text = optional_id<TextId>(row, 13);
  artifact.trace = optional_id<TraceId>(row, 14);
  artifact.digest = optional_id<TextId>(row, 15);
  return artifact;
}

// What is not in the artifact's own row.
Expected<void> complete(Connection& connection, Artifact* artifact) {
  Statement results = connection.cached(sql::kResultsOfArtifact);
  results.bind(1, artifact->id);
  BENCHHUD_ASSIGN(artifact->results, collect(results, [](const Statement& row) {
                    return ArtifactResult{RunId(row.integer(0)), ExperimentId(row.integer(1))};
                  }));
  Statement superseded = connection.cached(sql::kIsArtifactSuperseded);
  superseded.bind(1, artifact->id);
  artifact->is_superseded = superseded.step();
  BENCHHUD_TRY(superseded.status());
  return {};
}

}  // namespace

Expected<std::vector<ArtifactName>> Reader::artifact_names(ArtifactId after, std::size_t limit) {
  Statement query = connection_.cached(sql::kArtifactNamesAfter);
  query.bind(1, after).bind(2, static_cast<std::int64_t>(limit));
  return collect(query, [](const Statement& row) {
    return ArtifactName{ArtifactId(row.integer(0)),
                        artifact_kind_of(row.text(1)).value_or(ArtifactKind::kXplane),
                        std::string(row.text(2)), row.real(3)};
  });
}

Expected<std::vector<Artifact>> Reader::artifacts(const ArtifactFilter& filter) {
  Statement query = connection_.cached(filter.result         ? sql::kArtifactsOfResult
                                       : filter.run          ? sql::kArtifactsOfRun
                                       : filter.only_orphans ? sql::kOrphanedArtifacts
                                                             : sql::kArtifactsBefore);
  query.bind(1, filter.before ? to_int(*filter.before) : std::numeric_limits<std::int64_t>::max());
  if (filter.kind) {
    query.bind(2, artifact_kind_name(*filter.kind));
  } else {
    query.bind_null(2);
  }
  if (filter.result) {
    query.bind(3, filter.result->run).bind(4, filter.result->experiment);
  } else if (filter.run) {
    query.bind(3, *filter.run);
  }
  std::vector<Artifact> found;
  while (found.size() < filter.limit && query.step()) {
    Artifact artifact = read_artifact(query);
    BENCHHUD_TRY(complete(connection_, &artifact));
    if (filter.only_orphans && !artifact.results.empty()) continue;
    if (!filter.with_superseded && artifact.is_superseded) continue;
    found.push_back(std::move(artifact));
  }
  BENCHHUD_TRY(query.status());
  return found;
}

Expected<std::vector<std::int64_t>> Reader::profiled_repetitions(RunId run,
                                                                 ExperimentId experiment) {
  Statement query = connection_.cached(sql::kProfiledRepetitions);
  query.bind(1, run).bind(2, experiment);
  return collect(query, [](const Statement& row) { return row.integer(0); });
}

Expected<std::vector<RunId>> Reader::runs_with_artifacts(ExperimentId experiment,
                                                         std::optional<RunId> run) {
  Statement query = connection_.cached(sql::kRunsWithArtifacts);
  query.bind(1, experiment);
  if (run) {
    query.bind(2, *run);
  } else {
    query.bind_null(2);
  }
  return collect(query, [](const Statement& row) { return RunId(row.integer(0)); });
}

Expected<std::int64_t> Reader::artifact_count(const ArtifactFilter& filter) {
  if (!filter.result && !filter.run && !filter.only_orphans && filter.with_superseded) {
    Statement query = connection_.cached(sql::kCountArtifacts);
    if (filter.kind) {
      query.bind(1, artifact_kind_name(*filter.kind));
    } else {
      query.bind_null(1);
    }
    return one(query, [](const Statement& row) { return row.integer(0); }, "count");
  }
  ArtifactFilter all = filter;
  all.before.reset();
  all.limit = std::numeric_limits<std::size_t>::max();
  BENCHHUD_ASSIGN(const std::vector<Artifact> found, artifacts(all));
  return static_cast<std::int64_t>(found.size());
}

Expected<Artifact> Reader::artifact(ArtifactId id) {
  Statement query = connection_.cached(sql::kArtifactById);
  query.bind(1, id);
  BENCHHUD_ASSIGN(Artifact artifact, one(query, read_artifact, fmt::format("dump {}", to_int(id))));
  BENCHHUD_TRY(complete(connection_, &artifact));
  return artifact;
}

}  // namespace benchhud::schema
