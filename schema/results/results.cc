#include "schema/results/results.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "schema/db/key_lookup.h"
#include "schema/db/row_batch.h"
#include "schema/db/rows.h"
#include "schema/db/setting.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

// --- Runs --------------------------------------------------------------------------------------

struct InvocationRow {
  InvocationId id{};
  std::optional<RunId> run;
};

struct StoredRun {
  RunId id{};
  double started_at = 0;
  std::optional<double> verified_at;
};

struct RunTimes {
  std::optional<double> first_timing, first_any, last_verification;
};

// Brings the runs of one accelerator model up to date; adds to `dirty` those whose results may
// differ.
class RunUpdate {
 public:
  RunUpdate(Connection& connection, const std::string& accelerator_model, RunGrouping grouping,
            std::set<RunId>* dirty)
      : connection_(connection), model_(accelerator_model), grouping_(grouping), dirty_(dirty) {}

  Expected<void> apply() {
    BENCHHUD_TRY(load_invocations());
    BENCHHUD_TRY(load_runs());
    const std::vector<std::string> names = assign_runs(facts_, grouping_);
    std::map<std::string, RunTimes> times;
    for (std::size_t i = 0; i < rows_.size(); ++i) note_time(facts_[i], &times[names[i]]);
    for (const auto& [name, run_times] : times) BENCHHUD_TRY(put_run(name, run_times));
    for (std::size_t i = 0; i < rows_.size(); ++i) BENCHHUD_TRY(move(rows_[i], runs_[names[i]].id));
    for (const auto& [name, run] : runs_) {
      if (!times.contains(name)) BENCHHUD_TRY(remove_run(run.id));
    }
    return {};
  }

 private:
  Expected<void> load_invocations() {
    Statement query = connection_.cached(sql::kInvocationsOfModel);
    query.bind(1, model_);
    while (query.step()) {
      InvocationRow row{InvocationId(query.integer(0)), {}};
      if (const auto run = query.optional_integer(5)) row.run = RunId(*run);
      rows_.push_back(row);
      facts_.push_back({query.real(1), invocation_kind(query.integer(3), query.integer(4)),
                        query.optional_text(2)});
    }
    return query.status();
  }

  Expected<void> load_runs() {
    Statement query = connection_.cached(sql::kRunsOfModel);
    query.bind(1, model_);
    while (query.step()) {
      runs_[std::string(query.text(1))] = {RunId(query.integer(0)), query.real(2),
                                           query.optional_real(3)};
    }
    return query.status();
  }

  static void note_time(const InvocationFacts& invocation, RunTimes* times) {
    const auto earlier = [](std::optional<double>& best, double time) {
      if (!best || time < *best) best = time;
    };
    earlier(times->first_any, invocation.timestamp);
    if (invocation.kind != InvocationKind::kVerification) {
      earlier(times->first_timing, invocation.timestamp);
    }
    if (invocation.kind != InvocationKind::kTiming &&
        (!times->last_verification || invocation.timestamp > *times->last_verification)) {
      times->last_verification = invocation.timestamp;
    }
  }

  Expected<void> put_run(const std::string& name, const RunTimes& times) {
    const double started_at = times.first_timing ? *times.first_timing : *times.first_any;
    const auto found = runs_.find(name);
    if (found == runs_.end()) {
      Statement insert = connection_.cached(sql::kInsertRun);
      insert.bind(1, model_).bind(2, name).bind(3, started_at).bind(4, times.last_verification);
      BENCHHUD_TRY(insert.run());
      const auto id = RunId(connection_.last_insert_id());
      runs_.emplace(name, StoredRun{id, started_at, times.last_verification});
      dirty_->insert(id);
      return {};
    }
    const StoredRun& run = found->second;
    if (run.started_at == started_at && run.verified_at == times.last_verification) return {};
    Statement update = connection_.cached(sql::kUpdateRunTimes);
    update.bind(1, run.id).bind(2, started_at).bind(3, times.last_verification);
    BENCHHUD_TRY(update.run());
    dirty_->insert(run.id);
    return {};
  }

  Expected<void> move(const InvocationRow& invocation, RunId run) {
    if (invocation.run == run) return {};
    Statement update = connection_.cached(sql::kMoveInvocation);
    update.bind(1, invocation.id).bind(2, run);
    BENCHHUD_TRY(update.run());
    dirty_->insert(run);
    if (invocation.run) dirty_->insert(*invocation.run);
    return {};
  }

  Expected<void> remove_run(RunId run) {
    BENCHHUD_TRY(connection_.cached(sql::kDeleteResultsOfRun).bind(1, run).run());
    BENCHHUD_TRY(connection_.cached(sql::kDeleteRun).bind(1, run).run());
    dirty_->erase(run);
    return {};
  }

  Connection& connection_;
  const std::string& model_;
  const RunGrouping grouping_;
  std::set<RunId>* dirty_;
  std::vector<InvocationRow> rows_;
  std::vector<InvocationFacts> facts_;     // of rows_
  std::map<std::string, StoredRun> runs_;  // by name
};

// --- Results -----------------------------------------------------------------------------------

struct ExperimentFacts {
  std::string family;  // its hash
  bool has_batch_size = false;
};

struct RunLine {
  LineId id{};
  ExperimentId experiment{};
  bool timed = false;
  std::optional<std::string> code;
  double timestamp = 0;
  bool is_timing = false;
  bool is_verification = false;
  bool is_profiled = false;  // timed while XLA's profiler ran
  InvocationId invocation{};
  FileId file{};
  std::int64_t line_number = 0;

  // In the order of time, and of the lines in their file.
  auto order() const { return std::tuple(timestamp, file, line_number, id); }
};

struct DerivedResult {
  std::optional<LineId> timing, profiled, failure, verification;
  bool verification_is_verdict = false;
  double verified_at = 0;
  InvocationId verified_in{};
  std::string code;
  bool timing_shared = false, verification_shared = false;
};

struct ResultRow {
  RunId run{};
  ExperimentId experiment{};
  double started_at = 0;
  const DerivedResult* result = nullptr;  // lives until the row is written
};

void bind_result(const ResultRow& row, int first, Statement* insert) {
  const DerivedResult& result = *row.result;
  insert->bind(first, row.run).bind(first + 1, row.experiment).bind(first + 2, row.started_at);
  insert->bind(first + 3, result.timing).bind(first + 4, result.failure);
  insert->bind(first + 5, result.verification);
  if (result.verification) {
    insert->bind(first + 6, result.verified_at).bind_text_view(first + 7, result.code);
  } else {
    insert->bind_null(first + 6).bind_null(first + 7);
  }
  insert->bind(first + 8, result.timing_shared).bind(first + 9, result.verification_shared);
  insert->bind(first + 10, result.timing ? std::nullopt : result.profiled);
}

class ResultUpdate {
 public:
  ResultUpdate(Connection& connection, std::int64_t lines_at_once)
      : connection_(connection),
        lines_at_once_(lines_at_once),
        rows_(connection, sql::kInsertResult, 11, bind_result) {}

  Expected<void> derive_run(RunId run, std::int64_t revision) {
    BENCHHUD_ASSIGN(const double started_at, start_of(run));
    BENCHHUD_TRY(connection_.cached(sql::kDeleteResultsOfRun).bind(1, run).run());
    file_counts_.clear();
    timed_counts_.clear();
    BENCHHUD_TRY(find_profiled(run));
    std::int64_t count = 0;
    BENCHHUD_ASSIGN(const bool is_all, load_run(run));
    if (is_all) {
      BENCHHUD_ASSIGN(count, derive_lines(run, started_at));
    } else {
      BENCHHUD_ASSIGN(count, derive_in_parts(run, started_at));
    }
    BENCHHUD_TRY(store_file_counts(run));
    Statement update = connection_.cached(sql::kUpdateRunResults);
    return update.bind(1, run).bind(2, count).bind(3, revision).run();
  }

 private:
  static constexpr std::int64_t kMostParts = 1 << 16;

  // A part of a family's experiments: those whose id has this remainder.
  struct Share {
    std::int64_t count = 1, number = 0;
  };

  // Lines of other families have nothing to do with each other, so that a run of very many is read
  // part by part; and where a single family has very many, share by share: only lines without
  // timings that do not know the batch size are facts of other experiments than their own, and they
  // are read with every share. Returns how many results the run has.
  Expected<std::int64_t> derive_in_parts(RunId run, double started_at) {
    BENCHHUD_ASSIGN(const std::int64_t lines, count_lines(connection_, run));
    // Parts are alike in size, but for chance.
    const auto parts = std::min(2 * lines / lines_at_once_ + 1, kMostParts);
    std::int64_t count = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      BENCHHUD_ASSIGN(bool is_loaded, load_part(run, part, parts, true));
      if (!is_loaded) share_.count = parts;
      for (; share_.number < share_.count; ++share_.number) {
        if (!is_loaded) BENCHHUD_TRY(load_part(run, part, parts, false));
        is_loaded = false;
        BENCHHUD_ASSIGN(const std::int64_t results, derive_lines(run, started_at));
        count += results;
      }
      share_ = {};
    }
    return count;
  }

  // The lines of a part, of the share at hand. Returns as load_lines().
  Expected<bool> load_part(RunId run, std::int64_t part, std::int64_t parts, bool is_limited) {
    Statement query = connection_.cached(sql::kLinesOfFamilies);
    query.bind(1, run).bind_blob(2, bound(part, parts)).bind_null(3);
    if (part + 1 < parts) query.bind_blob(3, bound(part + 1, parts));
    query.bind(4, share_.count).bind(5, share_.number);
    return load_lines(query, is_limited);
  }

  bool is_in_share(ExperimentId experiment) const {
    return to_int(experiment) % share_.count == share_.number;
  }

  // The first two bytes of the least hash of a family of a part.
  static std::string bound(std::int64_t part, std::int64_t parts) {
    const std::int64_t first = part * kMostParts / parts;
    return {static_cast<char>(first >> 8), static_cast<char>(first & 0xff)};
  }

  Expected<double> start_of(RunId run) {
    Statement query = connection_.cached(sql::kRunStart);
    query.bind(1, run);
    const double started_at = query.step() ? query.real(0) : 0;
    BENCHHUD_TRY(query.status());
    return started_at;
  }

  // Stores the results of the lines at hand; returns how many.
  Expected<std::int64_t> derive_lines(RunId run, double started_at) {
    BENCHHUD_TRY(find_timed_in_run());
    std::map<ExperimentId, DerivedResult> results;
    for (const RunLine& line : lines_) {
      if (is_in_share(line.experiment)) ++file_counts_[{line.invocation, line.file}];
      BENCHHUD_TRY(find_targets(run, line));
      for (const ExperimentId target : targets_) {
        if (is_in_share(target)) count(line, is_shared_, &results[target]);
      }
    }
    for (const auto& [experiment, result] : results) {
      BENCHHUD_ASSIGN(ResultRow* const row, rows_.add());
      *row = {run, experiment, started_at, &result};
    }
    BENCHHUD_TRY(rows_.flush());
    return static_cast<std::int64_t>(results.size());
  }

  Expected<void> store_file_counts(RunId run) {
    BENCHHUD_TRY(connection_.cached(sql::kDeleteInvocationFilesOfRun).bind(1, run).run());
    for (const auto& [key, count] : file_counts_) {
      Statement insert = connection_.cached(sql::kInsertInvocationFile);
      BENCHHUD_TRY(insert.bind(1, key.first).bind(2, key.second).bind(3, count).run());
    }
    return {};
  }

  Expected<bool> load_run(RunId run) {
    Statement query = connection_.cached(sql::kLinesOfRun);
    return load_lines(query.bind(1, run));
  }

  // Returns false where there are more than lines_at_once_, and `is_limited`.
  Expected<bool> load_lines(Statement& query, bool is_limited = true) {
    lines_.clear();
    while (query.step()) {
      RunLine line;
      line.id = LineId(query.integer(0));
      line.experiment = ExperimentId(query.integer(1));
      line.timed = query.integer(2);
      line.is_profiled = line.timed && profiled_.contains(line.id);
      line.code = query.optional_text(3);
      line.timestamp = query.real(4);
      const InvocationKind kind = invocation_kind(query.integer(5), query.integer(6));
      const bool has_verdict = line.code && is_verdict(*line.code);
      // An invocation that holds both is read line by line.
      line.is_verification =
          kind == InvocationKind::kVerification || (kind == InvocationKind::kMixed && has_verdict);
      line.is_timing = kind == InvocationKind::kTiming ||
                       (kind == InvocationKind::kMixed && (line.timed || !has_verdict));
      line.invocation = InvocationId(query.integer(7));
      line.file = FileId(query.integer(8));
      line.line_number = query.integer(9);
      if (is_limited && lines_.size() == static_cast<std::size_t>(lines_at_once_)) return false;
      lines_.push_back(std::move(line));
    }
    BENCHHUD_TRY(query.status());
    std::sort(lines_.begin(), lines_.end(),
              [](const RunLine& a, const RunLine& b) { return a.order() < b.order(); });
    return true;
  }

  Expected<const ExperimentFacts*> facts(ExperimentId id) {
    const auto known = experiments_.find(id);
    if (known != experiments_.end()) return &known->second;
    BENCHHUD_TRY(look_up_facts(std::span(&id, 1)));
    return &experiments_.at(id);
  }

  // Of those that the lines at hand are of, as many as are kept.
  Expected<void> look_up_facts_of_lines() {
    std::vector<ExperimentId> ids;
    ids.reserve(lines_.size());
    for (const RunLine& line : lines_) ids.push_back(line.experiment);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(lines_at_once_)));
    const auto is_known = [&](ExperimentId id) { return experiments_.contains(id); };
    const auto known = static_cast<std::size_t>(std::count_if(ids.begin(), ids.end(), is_known));
    make_room_for_facts(ids.size() - known);
    std::erase_if(ids, is_known);
    return look_up_facts(ids);
  }

  void make_room_for_facts(std::size_t count) {
    if (experiments_.size() + count > static_cast<std::size_t>(lines_at_once_)) {
      experiments_.clear();
    }
  }

  Expected<void> look_up_facts(std::span<const ExperimentId> ids) {
    make_room_for_facts(ids.size());
    for (const ExperimentId id : ids) experiments_[id] = {};
    return look_up(
        connection_, sql::kExperimentFamily, ids, [&](const Statement& row) -> Expected<void> {
          experiments_[ExperimentId(row.integer(2))] = {std::string(row.blob(0)), !row.is_null(1)};
          return {};
        });
  }

  Expected<void> find_profiled(RunId run) {
    profiled_.clear();
    Statement query = connection_.cached(sql::kProfiledLinesOfRun);
    query.bind(1, run);
    while (query.step()) profiled_.insert(LineId(query.integer(0)));
    return query.status();
  }

  Expected<void> find_timed_in_run() {
    timed_in_run_.clear();
    BENCHHUD_TRY(look_up_facts_of_lines());
    std::unordered_set<ExperimentId> seen;
    for (const RunLine& line : lines_) {
      if (!line.timed) continue;
      BENCHHUD_ASSIGN(const ExperimentFacts* experiment, facts(line.experiment));
      if (seen.insert(line.experiment).second) {
        timed_in_run_[experiment->family].push_back(line.experiment);
      }
    }
    return find_timed_ever();
  }

  // Of families that lines without timings and batch size are of and that were not timed in the
  // run. Where a family's lines are read share by share, only its own lines tell that.
  Expected<void> find_timed_ever() {
    timed_ever_.clear();
    if (share_.count > 1) return {};
    std::vector<std::string> families;
    for (const RunLine& line : lines_) {
      if (line.timed) continue;
      BENCHHUD_ASSIGN(const ExperimentFacts* experiment, facts(line.experiment));
      if (experiment->has_batch_size || timed_in_run_.contains(experiment->family)) continue;
      if (timed_ever_.try_emplace(experiment->family).second) {
        families.push_back(experiment->family);
      }
    }
    return look_up_timed_ever(families);
  }

  Expected<void> look_up_timed_ever(std::span<const std::string> families) {
    BENCHHUD_TRY(look_up(
        connection_, sql::kTimedExperimentsOfFamily, families,
        [](Statement& query, int parameter, const std::string& family) {
          query.bind_blob(parameter, family);
        },
        [&](const Statement& row) -> Expected<void> {
          timed_ever_[std::string(row.blob(1))].push_back(ExperimentId(row.integer(0)));
          return {};
        }));
    return {};
  }

  // The experiments that a line is a fact of: its own, but where it does not know the batch size,
  // those that differ from it in nothing else: the ones timed in this run, else the ones timed
  // ever.
  Expected<void> find_targets(RunId run, const RunLine& line) {
    targets_.assign(1, line.experiment);
    is_shared_ = false;
    if (line.timed) return {};
    BENCHHUD_ASSIGN(const ExperimentFacts* experiment, facts(line.experiment));
    if (experiment->has_batch_size) return {};
    BENCHHUD_ASSIGN(const std::size_t timed_here, count_timed_in_run(run, experiment->family));
    if (timed_here > 0) {
      const auto here = timed_in_run_.find(experiment->family);
      targets_ = here == timed_in_run_.end() ? std::vector<ExperimentId>() : here->second;
      is_shared_ = timed_here > 1;
      return {};
    }
    auto ever = timed_ever_.find(experiment->family);
    if (ever == timed_ever_.end()) {
      ever = timed_ever_.try_emplace(experiment->family).first;
      BENCHHUD_TRY(look_up_timed_ever(std::span(&ever->first, 1)));
    }
    if (!ever->second.empty()) targets_ = ever->second;
    is_shared_ = targets_.size() > 1;
    return {};
  }

  // How many experiments of a family have timings in the run, counted to 2.
  Expected<std::size_t> count_timed_in_run(RunId run, const std::string& family) {
    if (share_.count == 1) {
      const auto here = timed_in_run_.find(family);
      return here == timed_in_run_.end() ? 0 : here->second.size();
    }
    // Those at hand are not all.
    const auto [known, is_new] = timed_counts_.try_emplace(family, 0);
    if (is_new) {
      Statement query = connection_.cached(sql::kTimedExperimentsInRun);
      query.bind(1, run).bind_blob(2, family).bind(3, 2);
      while (query.step()) ++known->second;
      BENCHHUD_TRY(query.status());
    }
    return known->second;
  }

  // Whether `other` is to be preferred to `code` where nothing tells which is newer.
  static bool comes_before(const std::string& code, const std::string& other) {
    return std::pair(other == "PASS", other) < std::pair(code == "PASS", code);
  }

  static void count(const RunLine& line, bool shared, DerivedResult* result) {
    if (line.is_timing && line.timed) {
      (line.is_profiled ? result->profiled : result->timing) = line.id;
      result->failure.reset();  // what failed before was done again
      result->timing_shared = shared;
    } else if (line.is_timing) {
      result->failure = line.id;
      if (!result->timing) result->timing_shared = shared;
    }
    if (line.is_verification) {
      const bool verdict = line.code && is_verdict(*line.code);
      if (result->verification) {
        // A verifier that did not get to a verdict does not undo an earlier verdict of the same
        // run.
        if (result->verification_is_verdict && !verdict) return;
        // Of two verifications at one time neither is the later: the one that is not a pass counts.
        if (result->verification_is_verdict && line.timestamp == result->verified_at &&
            line.invocation != result->verified_in && !comes_before(result->code, *line.code)) {
          return;
        }
      }
      result->verified_in = line.invocation;
      result->verification = line.id;
      result->verification_is_verdict = verdict;
      result->verified_at = line.timestamp;
      result->code = line.code.value_or("");
      result->verification_shared = shared;
    }
  }

  Connection& connection_;
  const std::int64_t lines_at_once_;
  RowBatch<ResultRow> rows_;
  std::unordered_map<ExperimentId, ExperimentFacts> experiments_;
  // Of the run at hand, reused:
  std::vector<RunLine> lines_;
  std::unordered_set<LineId> profiled_;
  std::unordered_map<std::string, std::vector<ExperimentId>> timed_in_run_;  // by family
  std::unordered_map<std::string, std::vector<ExperimentId>> timed_ever_;    // by family
  std::vector<ExperimentId> targets_;
  bool is_shared_ = false;  // whether there are others than the targets at hand
  Share share_;
  std::unordered_map<std::string, std::size_t> timed_counts_;            // by family, of large ones
  std::map<std::pair<InvocationId, FileId>, std::int64_t> file_counts_;  // lines
};

// Runs in which lines without a batch size may now belong to an experiment that was never timed
// before.
Expected<void> add_runs_of_family(Connection& connection, const ContentHash& family,
                                  std::set<RunId>* dirty) {
  Statement query = connection.cached(sql::kUntimedRunsOfFamily);
  query.bind_blob_view(1, family.view());
  while (query.step()) dirty->insert(RunId(query.integer(0)));
  return query.status();
}

Expected<void> derive_runs(Connection& connection, const std::set<RunId>& dirty,
                           std::int64_t lines_at_once) {
  BENCHHUD_ASSIGN(const std::int64_t revision, next_revision(connection));
  ResultUpdate update(connection, lines_at_once);
  for (const RunId run : dirty) BENCHHUD_TRY(update.derive_run(run, revision));
  return {};
}

}  // namespace

Expected<bool> derive(Connection& connection, const ChangedFacts& changed) {
  BENCHHUD_ASSIGN(const RunGrouping grouping, run_grouping(connection));
  std::set<RunId> dirty;
  for (const std::string& model : changed.accelerator_models) {
    BENCHHUD_TRY(RunUpdate(connection, model, grouping, &dirty).apply());
  }
  for (const InvocationId invocation : changed.invocations) {
    Statement query = connection.cached(sql::kRunOfInvocation);
    query.bind(1, invocation);
    if (query.step()) dirty.insert(RunId(query.integer(0)));
    BENCHHUD_TRY(query.status());
  }
  // Once for each: a family may have very many experiments, each with results to go through.
  std::vector<ContentHash> families = changed.newly_timed_families;
  std::ranges::sort(families, {}, &ContentHash::bytes);
  families.erase(std::unique(families.begin(), families.end()), families.end());
  for (const ContentHash& family : families) {
    BENCHHUD_TRY(add_runs_of_family(connection, family, &dirty));
  }
  if (dirty.empty()) return false;
  BENCHHUD_TRY(derive_runs(connection, dirty, kLinesAtOnce));
  return true;
}

Expected<void> derive_results_of(Connection& connection, std::span<const ResultKey> keys) {
  ChangedFacts changed;
  for (const ResultKey& key : keys) {
    Statement query = connection.cached(sql::kInvocationOfResult);
    query.bind_blob_view(1, key.experiment.view()).bind(2, key.timestamp);
    while (query.step()) changed.invocations.insert(InvocationId(query.integer(0)));
    BENCHHUD_TRY(query.status());
  }
  BENCHHUD_ASSIGN([[maybe_unused]] const bool is_changed, derive(connection, changed));
  return {};
}

Expected<void> derive_all(Connection& connection, std::int64_t lines_at_once) {
  BENCHHUD_ASSIGN(const RunGrouping grouping, run_grouping(connection));
  BENCHHUD_TRY(connection.execute(sql::kDeleteAllResults));
  std::vector<std::string> models;
  Statement query = connection.prepare(sql::kAcceleratorModelsOfInvocations);
  while (query.step()) models.emplace_back(query.text(0));
  BENCHHUD_TRY(query.status());
  std::set<RunId> dirty;
  for (const std::string& model : models) {
    BENCHHUD_TRY(RunUpdate(connection, model, grouping, &dirty).apply());
  }
  BENCHHUD_TRY(connection.execute(sql::kDeleteEmptyRuns));
  Statement all = connection.prepare(sql::kAllRunIds);
  while (all.step()) dirty.insert(RunId(all.integer(0)));
  BENCHHUD_TRY(all.status());
  return derive_runs(connection, dirty, lines_at_once);
}

Expected<RunGrouping> run_grouping(Connection& connection) {
  RunGrouping grouping;
  BENCHHUD_ASSIGN(const auto by, setting(connection, "run_grouping"));
  if (by == "night") grouping.by = RunGrouping::By::kNight;
  BENCHHUD_ASSIGN(const auto day_start, setting(connection, "day_start"));
  if (day_start) {
    std::from_chars(day_start->data(), day_start->data() + day_start->size(), grouping.day_start);
  }
  return grouping;
}

Expected<void> set_run_grouping(Connection& connection, const RunGrouping& grouping) {
  const bool by_night = grouping.by == RunGrouping::By::kNight;
  BENCHHUD_TRY(put_setting(connection, "run_grouping", by_night ? "night" : "timestamp"));
  return put_setting(connection, "day_start",
                     std::to_string(static_cast<std::int64_t>(grouping.day_start)));
}

Expected<std::int64_t> count_lines(Connection& connection, RunId run) {
  Statement query = connection.cached(sql::kCountLinesOfRun);
  query.bind(1, run);
  return one(query, [](const Statement& row) { return row.integer(0); }, "count");
}

Expected<std::int64_t> next_revision(Connection& connection) {
  BENCHHUD_ASSIGN(const auto text, setting(connection, "revision"));
  std::int64_t revision = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), revision);
  ++revision;
  BENCHHUD_TRY(put_setting(connection, "revision", std::to_string(revision)));
  return revision;
}

}  // namespace benchhud::schema
