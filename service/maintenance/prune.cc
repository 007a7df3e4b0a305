#include "service/maintenance/prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "schema/alerts/alert.h"
#include "schema/alerts/night_mark.h"
#include "schema/base/count_text.h"
#include "schema/base/time.h"
#include "schema/db/audit_note.h"
#include "schema/db/rows.h"
#include "schema/db/text_store.h"
#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/results/results.h"
#include "schema/results/torch_trace_store.h"
#include "schema/store/free_space.h"
#include "service/queries.h"
#include "trace/trace_store.h"

namespace benchhud::service {
namespace {

std::string day_of(double at) { return schema::format_time(at).substr(0, 10); }

class Pruning {
 public:
  Pruning(schema::Connection& connection, const PruneRequest& request)
      : connection_(connection), request_(request) {}

  schema::Expected<PruneReport> run() {
    if (request_.saves_room) BENCHHUD_TRY(connection_.execute("PRAGMA secure_delete = FAST"));
    BENCHHUD_ASSIGN(schema::Transaction transaction,
                    schema::Transaction::begin(connection_, schema::Transaction::Kind::kWrite));
    BENCHHUD_ASSIGN(const std::int64_t before, free_bytes(connection_));
    BENCHHUD_TRY(find_alerts());
    if (!request_.dumps.empty()) BENCHHUD_TRY(prune_dumps());
    if (request_.runs) BENCHHUD_TRY(prune_runs());
    if (request_.rejected_lines) BENCHHUD_TRY(prune_rejected_lines());
    if (report_.changed()) BENCHHUD_TRY(clean_up());
    BENCHHUD_ASSIGN(report_.free_bytes, free_bytes(connection_));
    report_.freed_bytes = std::max<std::int64_t>(0, report_.free_bytes - before);
    if (request_.is_rehearsal) {
      report_.free_bytes = before;
    } else if (report_.changed()) {
      BENCHHUD_TRY(note(connection_, "prune", audit_text()));
      BENCHHUD_ASSIGN([[maybe_unused]] const auto revision, next_revision(connection_));
      BENCHHUD_TRY(transaction.commit());
    }
    return std::move(report_);
  }

 private:
  /// Alerts that are not over, and the runs in which each was found: the last of the old level and
  /// the first of the new one; and from when on its accelerator model's nights are its business.
  schema::Expected<void> find_alerts() {
    constexpr double kForever = std::numeric_limits<double>::infinity();
    BENCHHUD_ASSIGN(const auto found, reported_alerts(connection_, false));
    for (const schema::Alert& alert : found) {
      // Somebody may still want to look at what it was found in.
      if (is_settled(alert.triage)) continue;
      const std::string words = fmt::format("alert {}", to_int(alert.id));
      for (const std::int64_t back : {std::int64_t{0}, std::int64_t{1}}) {
        BENCHHUD_ASSIGN(const auto at, night(alert.accelerator_model, alert.onset, back));
        if (at) runs_of_alerts_.try_emplace({alert.accelerator_model, *at}, words);
      }
      BENCHHUD_ASSIGN(const auto first,
                      night(alert.accelerator_model, alert.onset, kNightsOfAlert));
      const auto [held, is_new] =
          held_since_.try_emplace(alert.accelerator_model, first.value_or(-kForever), words);
      const double since = first.value_or(-kForever);
      if (!is_new && since < held->second.first) held->second = {since, words};
    }
    return {};
  }

  schema::Expected<std::optional<double>> night(const std::string& accelerator_model, double at,
                                                std::int64_t back) {
    schema::Statement query = connection_.cached(sql::kNightsBefore);
    query.bind(1, accelerator_model).bind(2, at).bind(3, back);
    std::optional<double> found;
    if (query.step()) found = query.real(0);
    BENCHHUD_TRY(query.status());
    return found;
  }

  /// Whether something goes; notes that it does, or that it stays.
  bool goes(PruneReport::Item item, std::vector<PruneReport::Item>* gone) {
    const bool stays = !item.referred.empty() && !request_.with_referred;
    (stays ? report_.kept : *gone).push_back(std::move(item));
    return !stays;
  }

  struct Dump {
    schema::ArtifactId id{};
    schema::ArtifactKind kind{};
    std::string name;
    std::int64_t byte_count = 0;
    double at = 0;
    std::int64_t notes = 0;
  };

  schema::Expected<std::vector<Dump>> dumps_before(double before) {
    schema::Statement query = connection_.cached(sql::kPrunableArtifacts);
    query.bind(1, before);
    return collect(query, [](const schema::Statement& row) {
      return Dump{schema::ArtifactId(row.integer(0)),
                  schema::artifact_kind_of(row.text(1)).value_or(schema::ArtifactKind::kXplane),
                  std::string(row.text(2)),
                  row.integer(3),
                  row.real(4),
                  row.integer(5)};
    });
  }

  /// What refers to a dump; "" where nothing does.
  schema::Expected<std::string> referred_of(const Dump& dump) {
    if (dump.notes > 0) return schema::count_text(dump.notes, "note");
    if (runs_of_alerts_.empty()) return std::string();
    schema::Reader reader(connection_);
    BENCHHUD_ASSIGN(const schema::Artifact artifact, reader.artifact(dump.id));
    for (const schema::ArtifactResult& result : artifact.results) {
      BENCHHUD_ASSIGN(const schema::Run run, reader.run(result.run));
      const auto alert = runs_of_alerts_.find({run.accelerator_model, run.started_at});
      if (alert != runs_of_alerts_.end()) return alert->second;
    }
    return std::string();
  }

  schema::Expected<void> prune_dump(const Dump& dump) {
    const std::string reason = fmt::format("what was in it was pruned on {}", day_of(request_.now));
    schema::Statement update = connection_.cached(sql::kPruneArtifact);
    report_.dump_bytes += dump.byte_count;
    BENCHHUD_TRY(delete_torch_trace(connection_, dump.id));
    return update.bind(1, dump.id).bind(2, request_.now).bind(3, reason).run();
  }

  static PruneReport::Item item_of(const Dump& dump, std::string referred) {
    return {
        fmt::format("{} {} (dump {})", artifact_kind_name(dump.kind), dump.name, to_int(dump.id)),
        dump.at, std::move(referred)};
  }

  schema::Expected<void> prune_dumps() {
    BENCHHUD_ASSIGN(const auto dumps, dumps_before(request_.before));
    for (const Dump& dump : dumps) {
      if (!request_.dumps.contains(dump.kind)) continue;
      BENCHHUD_ASSIGN(std::string referred, referred_of(dump));
      if (goes(item_of(dump, std::move(referred)), &report_.dumps)) BENCHHUD_TRY(prune_dump(dump));
    }
    return {};
  }

  schema::Expected<std::string> referred_of(const schema::Run& run) {
    BENCHHUD_ASSIGN(const auto marks, night_marks(connection_, run.accelerator_model));
    for (const schema::NightMark& mark : marks_of(run, marks)) {
      if (mark.kind == schema::NightMarkKind::kPinned) return std::string("pinned");
    }
    const auto held = held_since_.find(run.accelerator_model);
    if (held == held_since_.end() || run.started_at < held->second.first) return std::string();
    return held->second.second;
  }

  schema::Expected<void> prune_runs() {
    schema::Statement query = connection_.cached(sql::kPrunableRuns);
    query.bind(1, request_.before);
    BENCHHUD_ASSIGN(const auto old, collect(query, [](const schema::Statement& row) {
                      schema::Run run;
                      run.id = schema::RunId(row.integer(0));
                      run.accelerator_model = row.text(1);
                      run.name = row.text(2);
                      run.started_at = row.real(3);
                      run.result_count = row.integer(4);
                      return run;
                    }));
    std::vector<schema::Run> gone;
    for (const schema::Run& run : old) {
      BENCHHUD_ASSIGN(std::string referred, referred_of(run));
      PruneReport::Item item{fmt::format("run {}, {} results", describe(run), run.result_count),
                             run.started_at, std::move(referred)};
      if (goes(std::move(item), &report_.runs)) gone.push_back(run);
    }
    if (gone.empty()) return {};
    BENCHHUD_ASSIGN(const auto dumps, dumps_of(gone));
    for (const schema::Run& run : gone) {
      BENCHHUD_ASSIGN(const std::int64_t lines, count_lines(connection_, run.id));
      report_.lines += lines;
      schema::Statement remember = connection_.cached(sql::kPutPrunedInvocationsOfRun);
      BENCHHUD_TRY(remember.bind(1, run.id).bind(2, request_.now).run());
    }
    BENCHHUD_TRY(delete_facts_of_runs(connection_, gone));
    return prune_dumps_left_by_runs(dumps);
  }

  schema::Expected<std::set<schema::ArtifactId>> dumps_of(const std::vector<schema::Run>& runs) {
    std::set<schema::ArtifactId> ids;
    for (const schema::Run& run : runs) {
      schema::ArtifactFilter filter;
      filter.run = run.id;
      filter.limit = std::numeric_limits<std::size_t>::max();
      BENCHHUD_ASSIGN(const auto found, schema::Reader(connection_).artifacts(filter));
      for (const schema::Artifact& artifact : found) ids.insert(artifact.id);
    }
    return ids;
  }

  /// Those that belong to no run any more. A note goes with its night, but not without a word.
  schema::Expected<void> prune_dumps_left_by_runs(const std::set<schema::ArtifactId>& ids) {
    BENCHHUD_ASSIGN(const auto dumps, dumps_before(std::numeric_limits<double>::infinity()));
    for (const Dump& dump : dumps) {
      if (!ids.contains(dump.id)) continue;
      BENCHHUD_ASSIGN(const schema::Artifact artifact,
                      schema::Reader(connection_).artifact(dump.id));
      if (!artifact.results.empty()) continue;
      BENCHHUD_ASSIGN(std::string referred, referred_of(dump));
      if (goes(item_of(dump, std::move(referred)), &report_.dumps)) BENCHHUD_TRY(prune_dump(dump));
    }
    return {};
  }

  schema::Expected<void> prune_rejected_lines() {
    schema::TextWriter texts(connection_);
    BENCHHUD_ASSIGN(const schema::TextId nothing, texts.put(schema::pack_text("")));
    schema::Statement update = connection_.cached(sql::kPruneRejectedLines);
    BENCHHUD_TRY(update.bind(1, request_.before).bind(2, request_.now).bind(3, nothing).run());
    report_.rejected_lines = connection_.changes();
    return {};
  }

  schema::Expected<void> clean_up() {
    BENCHHUD_ASSIGN([[maybe_unused]] const auto traces, trace::delete_unused_traces(connection_));
    return delete_unused_texts(connection_);
  }

  std::string audit_text() const {
    std::string text = fmt::format("before {}: {} dumps, {} runs with {} lines, {} rejected lines",
                                   day_of(request_.before), report_.dumps.size(),
                                   report_.runs.size(), report_.lines, report_.rejected_lines);
    for (const auto* list : {&report_.dumps, &report_.runs}) {
      for (const PruneReport::Item& item : *list) {
        if (!item.referred.empty()) text += fmt::format("; {}: {}", item.words, item.referred);
      }
    }
    return text;
  }

  schema::Connection& connection_;
  const PruneRequest& request_;
  PruneReport report_;
  std::map<std::pair<std::string, double>, std::string> runs_of_alerts_;
  std::map<std::string, std::pair<double, std::string>> held_since_;  // by accelerator model
};

}  // namespace

schema::Expected<PruneReport> prune(schema::Connection& connection, const PruneRequest& request) {
  if (request.dumps.empty() && !request.rejected_lines && !request.runs) {
    return schema::Error{schema::ErrorCode::kInvalidArgument, "prune what? Nothing was named"};
  }
  return Pruning(connection, request).run();
}

schema::Expected<std::int64_t> forget_pruned(schema::Connection& connection) {
  BENCHHUD_ASSIGN(schema::Transaction transaction,
                  schema::Transaction::begin(connection, schema::Transaction::Kind::kWrite));
  schema::Statement query = connection.cached(sql::kCountPruned);
  BENCHHUD_ASSIGN(const std::int64_t count, one(
                                                query,
                                                [](const schema::Statement& row) {
                                                  return row.integer(0) + row.integer(1) +
                                                         row.integer(2);
                                                },
                                                "count"));
  if (count == 0) return count;
  BENCHHUD_TRY(connection.execute(sql::kForgetPruned));
  BENCHHUD_TRY(delete_unused_texts(connection));
  BENCHHUD_TRY(note(connection, "forget pruned", fmt::format("{} things", count)));
  BENCHHUD_ASSIGN([[maybe_unused]] const auto revision, next_revision(connection));
  BENCHHUD_TRY(transaction.commit());
  return count;
}

}  // namespace benchhud::service
