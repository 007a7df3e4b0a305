#include "schema/results/writer.h"

#include <cmath>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "schema/base/time.h"
#include "schema/db/key_lookup.h"
#include "schema/db/rows.h"
#include "schema/model/line_metrics.h"
#include "schema/queries.h"
#include "schema/results/invocation_group.h"
#include "schema/results/line_rows.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

// What is known of a file's experiments and metrics is asked again where there are more of them.
constexpr std::size_t kMostKnown = 100'000;

struct RetriableLine {
  std::int64_t id = 0;
  std::string hash;
  TextId text{};
  bool is_damage = false;  // no line: compressed data ended there
};

struct KnownExperiment {
  std::optional<ExperimentId> id;  // none: it was looked up and is not in the store
  bool timed = false;
};

}  // namespace

struct FileWriter::State {
  State(Connection& c, FileOptions o)
      : connection(c),
        options(std::move(o)),
        texts(c),
        lines(line_batch(c)),
        measurements(measurement_batch(c)) {}

  Expected<InvocationGroup*> group_of(const NewLine& line);
  Expected<KnownExperiment*> experiment_of(const NewLine& line);
  Expected<void> look_up_experiments(std::span<const ContentHash> identities);
  Expected<void> look_up_metrics(std::span<const std::string_view> names);
  Expected<std::int64_t> metric_id(std::string_view name);
  Expected<bool> is_in_fresh(const InvocationGroup& group, ExperimentId experiment,
                             const ContentHash& identity);
  Expected<void> make_fresh(InvocationGroup* group);
  Expected<LineId> insert_line(const NewLine& line, const ContentHash& identity,
                               InvocationId invocation, ExperimentId experiment);
  // Gives the row the samples of the line's own metrics.
  Expected<LineId> fill_samples(const NewLine& line, LineRow* row);
  Expected<void> insert_measurements(LineId id, const NewLine& line);
  Expected<void> resolve_retriable(std::int64_t byte_offset, std::string_view bytes);
  Expected<void> resolve_damage(std::int64_t byte_count);
  Expected<void> finish_group(InvocationGroup* group);
  Expected<bool> derive_changed();
  Expected<void> derive_behind();
  Expected<void> put_labels(InvocationId invocation, const InvocationGroup& group);
  Expected<void> note_known_lines(const InvocationGroup& group, std::int64_t count);
  Expected<std::set<RunId>> runs_of_file();

  Connection& connection;
  const FileOptions options;
  TextWriter texts;
  RowBatch<LineRow> lines;
  RowBatch<MeasurementRow> measurements;
  std::int64_t last_line_id = 0;  // given to a line
  std::int64_t derived_to = 0;    // last_line_id when results were derived last
  FileId file{};
  FileReport report;
  ChangedFacts changed;

  // Accelerator model, timestamp and what lines say of their run to group. Lines of a group come
  // together, so the last one is kept at hand.
  using GroupKey = std::tuple<std::string, double, std::optional<std::string>, bool>;
  std::map<GroupKey, InvocationGroup> groups;
  std::optional<std::pair<LineOrigin, InvocationGroup*>> last_group;

  std::unordered_map<ContentHash, KnownExperiment, ContentHashHasher> experiments;
  // By name; none: it was looked up and is not in the store.
  std::map<std::string, std::optional<std::int64_t>, std::less<>> metrics;
  // Rejections of this path that may be whole lines by now, by byte offset.
  std::map<std::int64_t, RetriableLine> retriable;
  // Rejections of this path that were pruned: byte offset and hash.
  std::set<std::pair<std::int64_t, std::string>> pruned;
};

FileWriter::FileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter::~FileWriter() = default;

Expected<FileWriter> FileWriter::begin(Connection& connection, FileOptions options) {
  auto state = std::make_unique<State>(connection, std::move(options));
  Statement insert = connection.cached(sql::kInsertFile);
  insert.bind(1, state->options.path).bind_blob(2, "").bind(3, now());
  BENCHHUD_TRY(insert.run());
  state->file = FileId(connection.last_insert_id());

  Statement last_line = connection.cached(sql::kLastLineId);
  if (last_line.step()) state->last_line_id = last_line.integer(0);
  state->derived_to = state->last_line_id;
  BENCHHUD_TRY(last_line.status());

  Statement retriable = connection.cached(sql::kRetriableOfPath);
  retriable.bind(1, state->options.path);
  while (retriable.step()) {
    state->retriable[retriable.integer(1)] = {retriable.integer(0), std::string(retriable.blob(2)),
                                              TextId(retriable.integer(3)),
                                              retriable.integer(4) == 0};
  }
  BENCHHUD_TRY(retriable.status());

  Statement pruned = connection.cached(sql::kPrunedRejectionsOfPath);
  pruned.bind(1, state->options.path);
  while (pruned.step()) state->pruned.emplace(pruned.integer(0), pruned.blob(1));
  BENCHHUD_TRY(pruned.status());
  return FileWriter(std::move(state));
}

Expected<FileWriter::Outcome> FileWriter::add(const NewLine& line) {
  State& state = *state_;
  BENCHHUD_TRY(state.resolve_retriable(line.byte_offset, line.bytes));
  BENCHHUD_ASSIGN(InvocationGroup* const group, state.group_of(line));
  if (group->is_pruned) {
    ++state.report.duplicate;
    ++state.report.pruned;
    return Outcome::kDuplicate;
  }
  BENCHHUD_ASSIGN(KnownExperiment* const experiment, state.experiment_of(line));
  const bool has_verdict = line.code && is_verdict(*line.code);
  group->has_timing |= line.timed;
  group->has_verdict |= has_verdict;

  const ContentHash identity = line_identity(group, line.hash);
  BENCHHUD_ASSIGN(const bool is_known, find_known(state.connection, group, *experiment->id,
                                                  identity, line.line_number, line.byte_offset));
  bool is_duplicate = is_known;
  if (!is_known && group->has_forgotten) {
    BENCHHUD_ASSIGN(is_duplicate, state.is_in_fresh(*group, *experiment->id, identity));
  }
  if (is_duplicate) {
    ++state.report.duplicate;
    return Outcome::kDuplicate;
  }
  BENCHHUD_TRY(state.make_fresh(group));
  group->is_settled = false;
  group->fresh_has_timing |= line.timed;
  group->fresh_has_verdict |= has_verdict;
  if (line.timed && !experiment->timed) {
    BENCHHUD_TRY(state.connection.cached(sql::kMarkTimed).bind(1, *experiment->id).run());
    experiment->timed = true;
    state.changed.newly_timed_families.push_back(line.family);
  }
  BENCHHUD_ASSIGN(const LineId id,
                  state.insert_line(line, identity, *group->fresh, *experiment->id));
  BENCHHUD_TRY(state.insert_measurements(id, line));
  ++state.report.accepted;
  return Outcome::kAccepted;
}

Expected<InvocationGroup*> FileWriter::State::group_of(const NewLine& line) {
  static const LineOrigin kNothingSaid;
  const std::string& model = line.experiment->accelerator_model;
  const LineOrigin& origin = line.origin ? *line.origin : kNothingSaid;
  if (last_group && line.timestamp == last_group->second->timestamp &&
      model == last_group->second->accelerator_model && origin == last_group->first) {
    return last_group->second;
  }
  const std::optional<std::string>& run = options.run_name ? options.run_name : origin.run_name;
  const GroupKey key(model, line.timestamp, run, origin.is_verification);
  auto found = groups.find(key);
  if (found == groups.end()) {
    if (last_line_id - derived_to >= options.lines_between_derivations) {
      BENCHHUD_TRY(derive_behind());
    }
    // What was seen of a group is remembered while the file is about it, and for a few groups
    // behind.
    constexpr std::size_t kGroupsRemembered = 16;
    if (groups.size() % kGroupsRemembered == 0) {
      for (auto& [other, group] : groups) {
        group.has_forgotten |= !group.seen.empty();
        group.seen = {};
      }
    }
    BENCHHUD_ASSIGN(InvocationGroup opened,
                    open_group(connection, model, line.timestamp, options.path));
    opened.run_name = run;
    Statement pruned_before = connection.cached(sql::kIsInvocationPruned);
    opened.is_pruned = pruned_before.bind(1, model).bind(2, line.timestamp).step();
    opened.is_settled = opened.is_pruned;
    BENCHHUD_TRY(pruned_before.status());
    found = groups.emplace(key, std::move(opened)).first;
  }
  // Of two lines that say different things the first is believed.
  found->second.labels.insert(origin.labels.begin(), origin.labels.end());
  last_group.emplace(origin, &found->second);
  return &found->second;
}

Expected<void> FileWriter::State::make_fresh(InvocationGroup* group) {
  if (group->fresh) return {};
  Statement insert = connection.cached(sql::kInsertInvocation);
  insert.bind(1, group->accelerator_model).bind(2, group->timestamp).bind(3, group->run_name);
  BENCHHUD_TRY(insert.run());
  group->fresh = InvocationId(connection.last_insert_id());
  return {};
}

Expected<KnownExperiment*> FileWriter::State::experiment_of(const NewLine& line) {
  auto found = experiments.find(line.identity);
  if (found == experiments.end()) {
    BENCHHUD_TRY(look_up_experiments(std::span(&line.identity, 1)));
    found = experiments.find(line.identity);
  }
  KnownExperiment* const known = &found->second;
  if (known->id) return known;
  const Experiment& experiment = *line.experiment;
  Statement insert = connection.cached(sql::kInsertExperiment);
  insert.bind_blob_view(1, line.identity.view()).bind_blob_view(2, line.family.view());
  insert.bind(3, experiment.suite).bind(4, experiment.model).bind(5, experiment.test);
  insert.bind(6, experiment.backend()).bind(7, experiment.accelerator);
  insert.bind(8, experiment.accelerator_model).bind(9, experiment.batch_size);
  insert.bind(10, experiment.xla).bind(11, experiment.xla_flags).bind(12, experiment.dynamo);
  insert.bind(13, experiment.torch_xla2).bind(14, experiment.flags);
  BENCHHUD_TRY(insert.run());
  *known = {ExperimentId(connection.last_insert_id()), false};
  return known;
}

Expected<void> FileWriter::State::look_up_experiments(std::span<const ContentHash> identities) {
  if (experiments.size() > kMostKnown) experiments.clear();
  std::vector<ContentHash> unknown;
  for (const ContentHash& identity : identities) {
    if (experiments.try_emplace(identity).second) unknown.push_back(identity);
  }
  return look_up(
      connection, sql::kFindExperiment, std::span<const ContentHash>(unknown),
      [](Statement& query, int parameter, const ContentHash& identity) {
        query.bind_blob_view(parameter, identity.view());
      },
      [&](const Statement& row) -> Expected<void> {
        experiments[hash_of(row, 2)] = {ExperimentId(row.integer(0)), row.integer(1) != 0};
        return {};
      });
}

Expected<void> FileWriter::State::look_up_metrics(std::span<const std::string_view> names) {
  if (metrics.size() > kMostKnown) metrics.clear();
  std::vector<std::string_view> unknown;
  for (const std::string_view name : names) {
    if (metrics.try_emplace(std::string(name)).second) unknown.push_back(name);
  }
  return look_up(
      connection, sql::kFindMetric, std::span<const std::string_view>(unknown),
      [](Statement& query, int parameter, std::string_view name) {
        query.bind_text_view(parameter, name);
      },
      [&](const Statement& row) -> Expected<void> {
        metrics.find(row.text(1))->second = row.integer(0);
        return {};
      });
}

Expected<void> FileWriter::look_ahead(std::span<const ContentHash> experiments) {
  return state_->look_up_experiments(experiments);
}

Expected<void> FileWriter::look_ahead(const NamedByNewLines& names) {
  BENCHHUD_TRY(state_->look_up_metrics(names.metrics));
  return state_->texts.look_ahead(names.texts);
}

Expected<bool> FileWriter::State::is_in_fresh(const InvocationGroup& group, ExperimentId experiment,
                                              const ContentHash& identity) {
  if (!group.fresh) return false;
  BENCHHUD_TRY(lines.flush());
  Statement query = connection.cached(sql::kFindLine);
  query.bind(1, *group.fresh).bind(2, experiment).bind_blob_view(3, identity.view());
  const bool found = query.step();
  BENCHHUD_TRY(query.status());
  return found;
}

Expected<LineId> FileWriter::State::insert_line(const NewLine& line, const ContentHash& identity,
                                                InvocationId invocation, ExperimentId experiment) {
  BENCHHUD_ASSIGN(LineRow* const row, lines.add());
  row->id = LineId(++last_line_id);
  row->invocation = invocation;
  row->experiment = experiment;
  row->hash = identity;
  row->file = file;
  row->line_number = line.line_number;
  row->byte_offset = line.byte_offset;
  row->timed = line.timed;
  row->repeat = line.repeat;
  row->iterations_per_run = line.iterations_per_run;
  row->code = line.code;
  row->mean_rel_error = line.mean_rel_error;
  row->error.reset();
  if (line.error) {
    BENCHHUD_ASSIGN(row->error, texts.put(*line.error));
  }
  row->extra = line.extra;
  return fill_samples(line, row);
}

Expected<LineId> FileWriter::State::fill_samples(const NewLine& line, LineRow* row) {
  const LineId id = row->id;
  for (EncodedSamples& samples : row->samples) samples.clear();
  bool is_urgent = false;
  for (const NewMeasurement& measurement : line.measurements) {
    const auto place = line_metric(measurement.metric);
    if (!place || !has_samples(measurement.shape)) continue;
    is_urgent |= row->samples[*place].hold(measurement.samples);
  }
  if (is_urgent) BENCHHUD_TRY(lines.flush());
  return id;
}

Expected<void> FileWriter::State::insert_measurements(LineId id, const NewLine& line) {
  for (const NewMeasurement& measurement : line.measurements) {
    // Of a line's own metrics too: the order of ids is the order in which metrics were first seen.
    BENCHHUD_ASSIGN(const std::int64_t metric, metric_id(measurement.metric));
    if (is_in_line(measurement.metric, measurement.shape)) continue;
    BENCHHUD_ASSIGN(MeasurementRow* const row, measurements.add());
    row->line = id;
    row->metric = metric;
    row->shape = measurement.shape;
    row->summary = measurement.summary;
    row->samples.clear();
    row->nested.reset();
    if (measurement.nested) {
      BENCHHUD_ASSIGN(row->nested, texts.put(*measurement.nested));
    }
    if (has_samples(measurement.shape) && row->samples.hold(measurement.samples)) {
      BENCHHUD_TRY(measurements.flush());
    }
  }
  return {};
}

Expected<std::int64_t> FileWriter::State::metric_id(std::string_view name) {
  auto known = metrics.find(name);
  if (known == metrics.end()) {
    BENCHHUD_TRY(look_up_metrics(std::span(&name, 1)));
    known = metrics.find(name);
  }
  if (!known->second) {
    BENCHHUD_TRY(connection.cached(sql::kInsertMetric).bind(1, name).run());
    known->second = connection.last_insert_id();
  }
  return *known->second;
}

// A line that stands where an retriable one was rejected, and begins as that one did, is that one,
// now whole.
Expected<void> FileWriter::State::resolve_retriable(std::int64_t byte_offset,
                                                    std::string_view bytes) {
  const auto found = retriable.find(byte_offset);
  if (found == retriable.end()) return {};
  const RetriableLine& known = found->second;
  Reader reader(connection);
  BENCHHUD_ASSIGN(const std::string beginning, reader.text(known.text));
  if (!bytes.starts_with(beginning)) return {};
  BENCHHUD_TRY(connection.cached(sql::kDeleteRejectedLine).bind(1, known.id).run());
  retriable.erase(found);
  ++report.resolved;
  return {};
}

Expected<bool> FileWriter::reject(const NewRejection& rejection) {
  State& state = *state_;
  if (state.pruned.contains({rejection.byte_offset, std::string(rejection.hash.view())})) {
    ++state.report.pruned;
    return false;
  }
  const auto known = state.retriable.find(rejection.byte_offset);
  const bool is_the_same =
      known != state.retriable.end() && known->second.hash == rejection.hash.view();
  if (!is_the_same) {
    BENCHHUD_TRY(state.resolve_retriable(rejection.byte_offset, rejection.bytes));
  }
  ++state.report.rejected;
  BENCHHUD_ASSIGN(const TextId text,
                  state.texts.put(pack_text(rejection.bytes.substr(0, kMostKeptBytes))));
  Statement insert = state.connection.cached(sql::kInsertRejectedLine);
  insert.bind(1, state.file).bind(2, state.options.path).bind(3, rejection.line_number);
  insert.bind(4, rejection.byte_offset).bind(5, rejection.byte_count);
  insert.bind_blob_view(6, rejection.hash.view()).bind(7, rejection.retriable);
  insert.bind(8, rejection.reason).bind(9, text);
  BENCHHUD_TRY(insert.run());
  // Nothing is inserted where an earlier reading of this path rejected the same.
  if (state.connection.changes() > 0) state.report.changed = true;
  return true;
}

Expected<void> FileWriter::State::put_labels(InvocationId invocation,
                                             const InvocationGroup& group) {
  std::map<std::string, std::string> labels = options.labels;
  labels.insert(group.labels.begin(), group.labels.end());
  for (const auto& [key, value] : labels) {
    Statement put = connection.cached(sql::kPutInvocationLabel);
    BENCHHUD_TRY(put.bind(1, invocation).bind(2, key).bind(3, value).run());
  }
  return {};
}

// What the command said of lines that were there already was not done to them: the report says so.
Expected<void> FileWriter::State::note_known_lines(const InvocationGroup& group,
                                                   std::int64_t count) {
  if (count == 0) return {};
  if (!options.labels.empty()) report.not_labelled += count;
  if (!options.run_name) return {};
  for (const InvocationGroup::Existing& existing : group.existing) {
    if (existing.matched == 0) continue;
    Statement query = connection.cached(sql::kRunNameOfInvocation);
    query.bind(1, existing.id);
    const bool is_elsewhere = query.step() && query.text(0) != *options.run_name;
    BENCHHUD_TRY(query.status());
    if (is_elsewhere) {
      report.in_other_run += count;
      return {};
    }
  }
  return {};
}

Expected<void> FileWriter::State::finish_group(InvocationGroup* group) {
  if (group->is_settled) return {};
  group->is_settled = true;
  BENCHHUD_ASSIGN(const Settlement settlement,
                  settle_group(connection, group, options.path, file, &last_line_id));
  const std::int64_t copied = settlement.copied;
  report.accepted += copied;
  report.duplicate -= copied;
  BENCHHUD_TRY(note_known_lines(*group, static_cast<std::int64_t>(group->known.size()) - copied));
  if (!settlement.changed) return {};
  report.changed = true;
  // Labels and the run's name are of what is new: a folder that grows every night is ingested with
  // tonight's commit, which is not that of the nights before.
  if (settlement.home) {
    BENCHHUD_TRY(put_labels(*settlement.home, *group));
    group->fresh = settlement.home;
  }
  changed.accelerator_models.insert(group->accelerator_model);
  changed.invocations.insert(settlement.touched.begin(), settlement.touched.end());
  return {};
}

Expected<bool> FileWriter::State::derive_changed() {
  BENCHHUD_ASSIGN(const bool is_derived, derive(connection, changed));
  changed = {};
  derived_to = last_line_id;
  return is_derived;
}

// Derives what the file has gone past. A group that was in the store before waits for the file's
// end, as only all of the file's lines tell where the new ones belong; should more lines come of
// one that was not, it is settled and derived again.
Expected<void> FileWriter::State::derive_behind() {
  BENCHHUD_TRY(lines.flush());
  for (auto& [key, group] : groups) {
    if (group.existing.empty()) BENCHHUD_TRY(finish_group(&group));
  }
  BENCHHUD_ASSIGN([[maybe_unused]] const bool is_derived, derive_changed());
  return {};
}

Expected<std::set<RunId>> FileWriter::State::runs_of_file() {
  std::set<RunId> runs;
  for (const auto& [key, group] : groups) {
    std::vector<InvocationId> invocations;
    if (group.fresh) invocations.push_back(*group.fresh);
    for (const InvocationGroup::Existing& existing : group.existing) {
      if (existing.matched > 0) invocations.push_back(existing.id);
    }
    for (const InvocationId invocation : invocations) {
      Statement query = connection.cached(sql::kRunOfInvocation);
      query.bind(1, invocation);
      if (query.step()) runs.insert(RunId(query.integer(0)));
      BENCHHUD_TRY(query.status());
    }
  }
  return runs;
}

// Compressed data that ended too early is rejected at the place where it ended. It is whole now if
// the same file goes on behind that place.
Expected<void> FileWriter::State::resolve_damage(std::int64_t byte_count) {
  for (const auto& [byte_offset, rejection] : retriable) {
    if (!rejection.is_damage || byte_offset >= byte_count) continue;
    BENCHHUD_TRY(connection.cached(sql::kDeleteRejectedLine).bind(1, rejection.id).run());
    ++report.resolved;
  }
  return {};
}

Expected<FileReport> FileWriter::finish(const FileContent& content) {
  State& state = *state_;
  FileReport& report = state.report;
  BENCHHUD_TRY(state.lines.flush());
  BENCHHUD_TRY(state.measurements.flush());
  BENCHHUD_TRY(state.resolve_damage(content.byte_count));
  report.changed |= report.resolved > 0;
  for (auto& [key, group] : state.groups) BENCHHUD_TRY(state.finish_group(&group));
  if (!report.changed) {
    BENCHHUD_TRY(state.connection.cached(sql::kDeleteFile).bind(1, state.file).run());
    BENCHHUD_ASSIGN(const std::set<RunId> unchanged, state.runs_of_file());
    report.runs.assign(unchanged.begin(), unchanged.end());
    return report;
  }
  Statement update = state.connection.cached(sql::kFinishFile);
  update.bind(1, state.file).bind_blob_view(2, content.hash.view());
  update.bind(3, content.byte_count).bind(4, content.line_count);
  update.bind(5, report.accepted).bind(6, report.duplicate).bind(7, report.rejected);
  update.bind(8, content.lacks_timestamps).bind(9, content.fallback_timestamp);
  BENCHHUD_TRY(update.run());
  BENCHHUD_ASSIGN(const bool is_derived, state.derive_changed());
  if (!is_derived) {
    BENCHHUD_ASSIGN([[maybe_unused]] const auto revision, next_revision(state.connection));
  }
  BENCHHUD_ASSIGN(const std::set<RunId> runs, state.runs_of_file());
  report.runs.assign(runs.begin(), runs.end());
  return report;
}

Expected<std::optional<IngestedFile>> find_complete_file(Connection& connection,
                                                         const FileContent& content) {
  Statement query = connection.cached(sql::kFindCompleteFile);
  query.bind_blob_view(1, content.hash.view()).bind(2, content.byte_count);
  query.bind(3, content.fallback_timestamp);
  std::optional<IngestedFile> found;
  if (query.step()) {
    found.emplace();
    found->id = FileId(query.integer(0));
    found->path = query.text(1);
    found->content_hash = content.hash.hex();
    found->byte_count = content.byte_count;
    found->line_count = query.integer(2);
    found->accepted = query.integer(3);
    found->duplicate = query.integer(4);
    found->rejected = query.integer(5);
    found->ingested_at = query.real(6);
  }
  BENCHHUD_TRY(query.status());
  return found;
}

Expected<bool> has_file_of_size(Connection& connection, std::int64_t byte_count) {
  Statement query = connection.cached(sql::kHasFileOfSize);
  query.bind(1, byte_count);
  const bool found = query.step();
  BENCHHUD_TRY(query.status());
  return found;
}

}  // namespace benchhud::schema
