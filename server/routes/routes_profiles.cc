// Profiles of results: what TorchDynamo's dumps count, and which other results have dumps to
// compare with.
#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/timing/timing_facts.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/answers/artifact_content.h"
#include "views/phase_answers.h"

namespace benchhud::server {
namespace {

using schema::Artifact;
using schema::ArtifactFilter;
using schema::ArtifactKind;
using schema::DynamoCounters;
using schema::Expected;
using schema::RunId;

// So much text of counters is read for one answer: a runner's are of kilobytes each.
constexpr std::int64_t kMostText = std::int64_t{64} << 20;

/// What the counter dumps of a result hold.
struct DumpedCounters {
  std::vector<DynamoCounters> repetitions;  ///< in order; one for all where no dump is of one
  std::size_t dumps = 0, left_out = 0, unreadable = 0;
};

Expected<std::vector<Artifact>> counter_dumps(RequestContext& context, const AskedResult& result) {
  ArtifactFilter filter;
  filter.result = schema::ArtifactResult{result.run->run.id, result.entry->id()};
  filter.kind = ArtifactKind::kDynamoCounters;
  filter.with_superseded = false;
  filter.limit = std::numeric_limits<std::size_t>::max();
  BENCHHUD_ASSIGN(auto dumps, context.reader().artifacts(filter));
  std::sort(dumps.begin(), dumps.end(), [](const Artifact& a, const Artifact& b) {
    return std::tie(a.repetition, a.part, a.id) < std::tie(b.repetition, b.part, b.id);
  });
  // A dump of no repetition tells the same again where others are of one.
  const bool has_repetitions = !dumps.empty() && dumps.back().repetition.has_value();
  std::erase_if(
      dumps, [&](const Artifact& dump) { return has_repetitions && !dump.repetition.has_value(); });
  return dumps;
}

Expected<DumpedCounters> dumped_counters(RequestContext& context, const AskedResult& result) {
  BENCHHUD_ASSIGN(const auto dumps, counter_dumps(context, result));
  DumpedCounters dumped;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> repetition;
  for (const Artifact& dump : dumps) {
    bytes += dump.byte_count;
    if (bytes > kMostText) {
      ++dumped.left_out;
      continue;
    }
    BENCHHUD_ASSIGN(auto counters, service::dynamo_counters_of(context.reader(), dump));
    if (!counters) {
      ++dumped.unreadable;
      continue;
    }
    // The parts of a repetition, of a process each, count together.
    if (dumped.dumps++ == 0 || dump.repetition != repetition) dumped.repetitions.emplace_back();
    repetition = dump.repetition;
    auto& groups = dumped.repetitions.back().groups;
    std::move(counters->groups.begin(), counters->groups.end(), std::back_inserter(groups));
  }
  return dumped;
}

Expected<bool> starts_slowly(RequestContext& context, const AskedResult& result) {
  const schema::ResultFacts& facts = result.facts;
  if (!facts.timing_line) return false;
  BENCHHUD_ASSIGN(const auto measurements, context.reader().measurements(*facts.timing_line));
  return analysis::has_slow_start(analysis::timing_facts(result.entry->experiment(), measurements,
                                                         facts.repeat, facts.iterations_per_run));
}

Expected<void> write_dumped_counters(RequestContext& context, schema::JsonWriter& json,
                                     const AskedResult& result) {
  BENCHHUD_ASSIGN(const DumpedCounters dumped, dumped_counters(context, result));
  std::optional<analysis::DynamoReport> report;
  if (dumped.dumps > 0) {
    BENCHHUD_ASSIGN(const bool slow_start, starts_slowly(context, result));
    report = analysis::read_dynamo(dumped.repetitions, slow_start);
  }
  json.begin_object();
  json.key("dynamo");
  views::write_dynamo_report(json, report);
  json.field("dump_count", dumped.dumps);
  json.field("left_out", dumped.left_out);
  json.field("unreadable", dumped.unreadable);
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_dumped_counters(RequestContext& context) {
  BENCHHUD_ASSIGN(auto result, asked_result(context));
  return ResponsePlan{revision_key(context),
                      [&context, result = std::move(result)](schema::JsonWriter& json) {
                        return write_dumped_counters(context, json, result);
                      }};
}

/// The runs nearest to a result's in which its experiment has dumps; null where there is none.
struct NearestRuns {
  const service::RunEntry* before = nullptr;
  const service::RunEntry* after = nullptr;
};

Expected<NearestRuns> nearest_runs(RequestContext& context, const AskedResult& result) {
  BENCHHUD_ASSIGN(const auto found, context.reader().runs_with_artifacts(result.entry->id(), {}));
  const std::set<RunId> dumped(found.begin(), found.end());
  NearestRuns nearest;
  const auto* const places = context.snapshot().runs_of(result.run->run.accelerator_model);
  if (places == nullptr) return nearest;
  bool is_earlier = false;
  for (const std::size_t place : *places) {  // newest first
    const service::RunEntry& entry = context.snapshot().runs[place];
    if (&entry == result.run) {
      is_earlier = true;
    } else if (dumped.contains(entry.run.id)) {
      (is_earlier ? nearest.before : nearest.after) = &entry;
      if (is_earlier) break;
    }
  }
  return nearest;
}

Expected<void> write_neighbours(RequestContext& context, schema::JsonWriter& json,
                                const AskedResult& result) {
  BENCHHUD_ASSIGN(const NearestRuns nearest, nearest_runs(context, result));
  std::vector<const analysis::CatalogEntry*> others;
  for (const analysis::CatalogEntry& entry : context.catalog().entries()) {
    if (entry.workload() != result.entry->workload() || entry.id() == result.entry->id()) continue;
    BENCHHUD_ASSIGN(const auto dumped,
                    context.reader().runs_with_artifacts(entry.id(), result.run->run.id));
    if (!dumped.empty()) others.push_back(&entry);
  }
  json.begin_object();
  json.key("before");
  views::write_run_ref(json, nearest.before);
  json.key("after");
  views::write_run_ref(json, nearest.after);
  json.key("others");
  json.list(others,
            [&](const analysis::CatalogEntry* entry) { views::write_experiment(json, *entry); });
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_neighbours(RequestContext& context) {
  BENCHHUD_ASSIGN(auto result, asked_result(context));
  return ResponsePlan{revision_key(context),
                      [&context, result = std::move(result)](schema::JsonWriter& json) {
                        return write_neighbours(context, json, result);
                      }};
}

}  // namespace

std::span<const NamedRoute> profile_routes() {
  static constexpr std::array routes = {NamedRoute{"getDumpedCounters", get_dumped_counters},
                                        NamedRoute{"getNeighbours", get_neighbours}};
  return routes;
}

}  // namespace benchhud::server
