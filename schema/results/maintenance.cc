#include "schema/results/maintenance.h"

#include <fmt/format.h>

#include "schema/db/audit_note.h"
#include "schema/queries.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

Expected<std::vector<InvocationId>> invocation_ids(Connection& connection, RunId run) {
  std::vector<InvocationId> ids;
  Statement query = connection.cached(sql::kInvocationsOfRun);
  query.bind(1, run);
  while (query.step()) ids.push_back(InvocationId(query.integer(0)));
  BENCHHUD_TRY(query.status());
  return ids;
}

// Pins all invocations of a run to a name, so that no rule moves them.
Expected<void> pin(Connection& connection, RunId run, const std::string& name) {
  return connection.cached(sql::kPinInvocationsOfRun).bind(1, run).bind(2, name).run();
}

// Gives a name the marks of another. Where both have one of a kind, the one of `kept` stands.
Expected<void> move_night_marks(Connection& connection, const std::string& accelerator_model,
                                const std::string& from, const std::string& to,
                                const std::string& kept) {
  Statement both = connection.cached(sql::kDeleteNightMarksOfBoth);
  both.bind(1, accelerator_model).bind(2, kept == from ? to : from).bind(3, kept);
  BENCHHUD_TRY(both.run());
  Statement move = connection.cached(sql::kRenameNightMarks);
  return move.bind(1, accelerator_model).bind(2, from).bind(3, to).run();
}

}  // namespace

Expected<void> relabel_run(Connection& connection, const Run& run,
                           const std::map<std::string, std::optional<std::string>>& labels) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  std::string detail = describe(run) + ":";
  for (const auto& [key, value] : labels) {
    // A removed label is kept as an empty one: it must also hide the label that came with an
    // ingest.
    Statement put = connection.cached(sql::kPutRunLabel);
    put.bind(1, run.accelerator_model).bind(2, run.name).bind(3, key).bind(4, value.value_or(""));
    BENCHHUD_TRY(put.run());
    detail += value ? fmt::format(" {}={}", key, *value) : fmt::format(" -{}", key);
  }
  BENCHHUD_TRY(note(connection, "relabel", detail));
  BENCHHUD_ASSIGN(const std::int64_t revision, next_revision(connection));
  BENCHHUD_TRY(connection.cached(sql::kSetRunRevision).bind(1, run.id).bind(2, revision).run());
  return transaction.commit();
}

Expected<void> rename_run(Connection& connection, const Run& run, const std::string& name) {
  if (name.empty()) return Error{ErrorCode::kInvalidArgument, "a run's name cannot be empty"};
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  Statement taken = connection.cached(sql::kFindRunByName);
  taken.bind(1, run.accelerator_model).bind(2, name);
  const bool is_taken = taken.step();
  BENCHHUD_TRY(taken.status());
  if (is_taken) {
    return Error{ErrorCode::kConflict,
                 fmt::format("there is a run called {} on {}; merge the two instead", name,
                             run.accelerator_model)};
  }
  BENCHHUD_TRY(pin(connection, run.id, name));
  BENCHHUD_TRY(connection.cached(sql::kRenameRun).bind(1, run.id).bind(2, name).run());
  Statement labels = connection.cached(sql::kRenameRunLabels);
  BENCHHUD_TRY(labels.bind(1, run.accelerator_model).bind(2, run.name).bind(3, name).run());
  // A deleted run may have left marks under the new name; the run's own are the newer word.
  BENCHHUD_TRY(move_night_marks(connection, run.accelerator_model, run.name, name, run.name));
  BENCHHUD_TRY(note(connection, "rename", fmt::format("{} to {}", describe(run), name)));
  ChangedFacts changed;
  changed.accelerator_models.insert(run.accelerator_model);
  BENCHHUD_ASSIGN(const auto ids, invocation_ids(connection, run.id));
  changed.invocations.insert(ids.begin(), ids.end());
  BENCHHUD_TRY(derive(connection, changed));
  return transaction.commit();
}

Expected<void> merge_runs(Connection& connection, const Run& from, const Run& into) {
  if (from.id == into.id) {
    return Error{ErrorCode::kInvalidArgument, "a run cannot be merged with itself"};
  }
  if (from.accelerator_model != into.accelerator_model) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} and {} are on different accelerator models", from.name, into.name)};
  }
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(pin(connection, from.id, into.name));
  BENCHHUD_TRY(pin(connection, into.id, into.name));
  BENCHHUD_TRY(
      move_night_marks(connection, into.accelerator_model, from.name, into.name, into.name));
  BENCHHUD_TRY(
      note(connection, "merge", fmt::format("{} into {}", describe(from), describe(into))));
  ChangedFacts changed;
  changed.accelerator_models.insert(into.accelerator_model);
  BENCHHUD_TRY(derive(connection, changed));
  return transaction.commit();
}

namespace {

Expected<void> delete_facts(Connection& connection, const Run& run) {
  for (const std::string_view sql :
       {sql::kDeleteMeasurementsOfRun, sql::kDeleteLinesOfRun, sql::kDeleteLabelsOfRun,
        sql::kDeleteInvocationFilesOfRun, sql::kDeleteInvocationsOfRun, sql::kDeleteResultsOfRun}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, run.id).run());
  }
  return connection.cached(sql::kDeleteLabelsOfRunName)
      .bind(1, run.accelerator_model)
      .bind(2, run.name)
      .run();
}

}  // namespace

Expected<void> delete_facts_of_runs(Connection& connection, std::span<const Run> runs) {
  for (const Run& run : runs) BENCHHUD_TRY(delete_facts(connection, run));
  BENCHHUD_TRY(connection.execute(sql::kRecountTimed));
  BENCHHUD_TRY(derive_all(connection));
  return connection.execute(sql::kDeleteUnusedExperiments);
}

Expected<void> delete_unused_texts(Connection& connection) {
  return connection.execute(sql::kDeleteUnusedTexts);
}

Expected<void> delete_run(Connection& connection, const Run& run) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(delete_facts_of_runs(connection, {&run, 1}));
  // People's marks stay (night_mark.h): they are about the night, not about this copy of it.
  // A file may hold lines of the run under other runs' ingests too: every file is read again when
  // given.
  BENCHHUD_TRY(connection.execute(sql::kForgetFiles));
  BENCHHUD_TRY(delete_unused_texts(connection));
  BENCHHUD_TRY(note(connection, "delete", describe(run)));
  return transaction.commit();
}

Expected<void> rebuild(Connection& connection) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(connection.execute(sql::kRecountTimed));
  BENCHHUD_TRY(derive_all(connection));
  BENCHHUD_TRY(note(connection, "rebuild", ""));
  return transaction.commit();
}

Expected<void> regroup_runs(Connection& connection, const RunGrouping& grouping) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(set_run_grouping(connection, grouping));
  BENCHHUD_TRY(derive_all(connection));
  BENCHHUD_TRY(note(connection, "regroup",
                    grouping.by == RunGrouping::By::kNight ? "by night" : "by timestamp"));
  return transaction.commit();
}

Expected<std::vector<AuditLine>> audit(Connection& connection, std::size_t limit) {
  std::vector<AuditLine> lines;
  Statement query = connection.cached(sql::kAuditNewestFirst);
  query.bind(1, static_cast<std::int64_t>(limit));
  while (query.step()) {
    lines.push_back({query.real(0), std::string(query.text(1)), std::string(query.text(2))});
  }
  BENCHHUD_TRY(query.status());
  return lines;
}

}  // namespace benchhud::schema
