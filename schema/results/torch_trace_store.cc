#include "schema/results/torch_trace_store.h"

#include <utility>

#include "schema/base/json_writer.h"
#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

// Binds the next parameters of a statement, one after the other.
class Binder {
 public:
  explicit Binder(Statement& statement) : statement_(statement) {}
  template <class... Values>
  Binder& add(const Values&... values) {
    (statement_.bind(++parameter_, values), ...);
    return *this;
  }

 private:
  Statement& statement_;
  int parameter_ = 0;
};

std::string kinds_json(const TorchTraceLog& log) {
  std::string text;
  JsonWriter json(&text);
  json.list(log.kinds, [&](const auto& kind) {
    json.begin_object();
    json.field("name", kind.first);
    json.field("count", kind.second);
    json.end_object();
  });
  return text;
}

Expected<void> insert_compilation(Connection& connection, ArtifactId artifact, std::int64_t ordinal,
                                  const Compilation& one) {
  Statement insert = connection.cached(sql::kInsertCompilation);
  Binder(insert)
      .add(artifact, ordinal, one.compile_id, one.occurrence, one.attempt, one.line, one.logged_at)
      .add(one.frame_name, one.frame_file, one.frame_line, one.stack, one.seconds,
           one.seconds_before_restart)
      .add(one.guard_count, one.shape_guard_count, one.op_count, one.node_count, one.input_count,
           one.cache_size)
      .add(one.fail_type, one.fail_reason, one.fail_file, one.fail_line)
      .add(one.phases, one.restarts, one.graph_breaks, one.recompiles, one.caches);
  return insert.run();
}

Expected<void> insert_output(Connection& connection, ArtifactId artifact, std::int64_t ordinal,
                             const CompilationOutput& one) {
  Statement insert = connection.cached(sql::kInsertCompilationOutput);
  Binder(insert).add(artifact, ordinal, one.compilation, one.attempt, one.line, one.kind, one.name,
                     one.encoding, one.byte_count, one.text);
  return insert.run();
}

StoredCompilation read_compilation(const Statement& row) {
  StoredCompilation stored;
  Compilation& one = stored.compilation;
  int column = 0;
  const auto text = [&] { return std::string(row.text(column++)); };
  const auto maybe_text = [&] { return row.optional_text(column++); };
  const auto maybe_integer = [&] { return row.optional_integer(column++); };
  const auto maybe_real = [&] { return row.optional_real(column++); };
  stored.ordinal = row.integer(column++);
  one.compile_id = text();
  one.occurrence = row.integer(column++);
  one.attempt = row.integer(column++);
  one.line = row.integer(column++);
  one.logged_at = text();
  one.frame_name = maybe_text();
  one.frame_file = maybe_text();
  one.frame_line = maybe_integer();
  one.stack = optional_id<TextId>(row, column++);
  one.seconds = maybe_real();
  one.seconds_before_restart = maybe_real();
  for (auto* number : {&one.guard_count, &one.shape_guard_count, &one.op_count, &one.node_count,
                       &one.input_count, &one.cache_size}) {
    *number = maybe_integer();
  }
  one.fail_type = maybe_text();
  one.fail_reason = maybe_text();
  one.fail_file = maybe_text();
  one.fail_line = maybe_integer();
  for (auto* list : {&one.phases, &one.restarts, &one.graph_breaks, &one.recompiles, &one.caches}) {
    *list = text();
  }
  return stored;
}

StoredOutput read_output(const Statement& row) {
  StoredOutput stored;
  stored.ordinal = row.integer(0);
  stored.output.attempt = row.integer(1);
  stored.output.line = row.integer(2);
  stored.output.kind = row.text(3);
  stored.output.name = row.text(4);
  stored.output.encoding = row.text(5);
  stored.output.byte_count = row.integer(6);
  stored.output.text = optional_id<TextId>(row, 7);
  return stored;
}

}  // namespace

Expected<void> put_torch_trace(Connection& connection, ArtifactId artifact,
                               const TorchTraceLog& log) {
  Statement insert = connection.cached(sql::kInsertTorchTrace);
  Binder(insert).add(artifact, log.rank, log.record_count, log.sound_payloads, log.damaged_payloads,
                     log.unreadable_lines, log.omitted, kinds_json(log));
  BENCHHUD_TRY(insert.run());
  for (std::size_t i = 0; i < log.problems.size(); ++i) {
    Statement problem = connection.cached(sql::kInsertTorchTraceProblem);
    Binder(problem).add(artifact, static_cast<std::int64_t>(i), log.problems[i].line,
                        log.problems[i].reason);
    BENCHHUD_TRY(problem.run());
  }
  for (std::size_t i = 0; i < log.compilations.size(); ++i) {
    BENCHHUD_TRY(insert_compilation(connection, artifact, static_cast<std::int64_t>(i),
                                    log.compilations[i]));
  }
  for (std::size_t i = 0; i < log.outputs.size(); ++i) {
    BENCHHUD_TRY(insert_output(connection, artifact, static_cast<std::int64_t>(i), log.outputs[i]));
  }
  return {};
}

Expected<void> delete_torch_trace(Connection& connection, ArtifactId artifact) {
  for (const std::string_view statement :
       {sql::kDeleteProblemsOfTorchTrace, sql::kDeleteOutputsOfTorchTrace,
        sql::kDeleteCompilationsOfTorchTrace, sql::kDeleteTorchTrace}) {
    BENCHHUD_TRY(connection.cached(statement).bind(1, artifact).run());
  }
  return {};
}

Expected<std::optional<TorchTraceSummary>> torch_trace_of(Connection& connection,
                                                          ArtifactId artifact) {
  Statement query = connection.cached(sql::kTorchTraceOfArtifact);
  query.bind(1, artifact);
  BENCHHUD_ASSIGN(auto found, collect(query, [](const Statement& row) {
                    TorchTraceSummary summary;
                    summary.rank = row.optional_integer(0);
                    summary.record_count = row.integer(1);
                    summary.sound_payloads = row.integer(2);
                    summary.damaged_payloads = row.integer(3);
                    summary.unreadable_lines = row.integer(4);
                    summary.omitted = row.integer(5);
                    summary.kinds = row.text(6);
                    summary.compilation_count = row.integer(7);
                    return summary;
                  }));
  if (found.empty()) return std::optional<TorchTraceSummary>();
  Statement problems = connection.cached(sql::kTorchTraceProblems);
  problems.bind(1, artifact);
  BENCHHUD_ASSIGN(found.front().problems, collect(problems, [](const Statement& row) {
                    return DumpProblem{row.integer(0), std::string(row.text(1))};
                  }));
  return std::optional(std::move(found.front()));
}

Expected<std::vector<StoredCompilation>> compilations_of(Connection& connection,
                                                         ArtifactId artifact, std::int64_t after,
                                                         std::size_t limit) {
  Statement query = connection.cached(sql::kCompilationsAfter);
  query.bind(1, artifact).bind(2, after).bind(3, static_cast<std::int64_t>(limit));
  return collect(query, read_compilation);
}

Expected<std::vector<StoredOutput>> outputs_of(Connection& connection, ArtifactId artifact,
                                               std::optional<std::int64_t> compilation,
                                               std::size_t limit) {
  Statement query = connection.cached(sql::kOutputsOfCompilation);
  query.bind(1, artifact).bind(2, compilation).bind(3, static_cast<std::int64_t>(limit));
  return collect(query, read_output);
}

Expected<std::map<std::int64_t, std::vector<StoredOutput>>> outputs_by_compilation(
    Connection& connection, ArtifactId artifact) {
  Statement query = connection.cached(sql::kOutputsOfCompilations);
  query.bind(1, artifact);
  BENCHHUD_ASSIGN(auto found, collect(query, [](const Statement& row) {
                    return std::pair(row.integer(8), read_output(row));
                  }));
  std::map<std::int64_t, std::vector<StoredOutput>> outputs;
  for (auto& [compilation, output] : found) outputs[compilation].push_back(std::move(output));
  return outputs;
}

Expected<std::vector<RunId>> runs_with_torch_trace(Connection& connection,
                                                   ExperimentId experiment) {
  Statement query = connection.cached(sql::kRunsWithTorchTrace);
  query.bind(1, experiment);
  return collect(query, [](const Statement& row) { return RunId(row.integer(0)); });
}

Expected<std::int64_t> output_count_of(Connection& connection, ArtifactId artifact,
                                       std::optional<std::int64_t> compilation) {
  Statement query = connection.cached(sql::kCountOutputsOfCompilation);
  query.bind(1, artifact).bind(2, compilation);
  return one(query, [](const Statement& row) { return row.integer(0); }, "count");
}

Expected<StoredOutput> output_at(Connection& connection, ArtifactId artifact,
                                 std::int64_t ordinal) {
  Statement query = connection.cached(sql::kCompilationOutputByOrdinal);
  query.bind(1, artifact).bind(2, ordinal);
  return one(query, read_output, "such text in the log");
}

}  // namespace benchhud::schema
