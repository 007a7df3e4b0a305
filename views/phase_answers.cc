#include "views/phase_answers.h"

#include <algorithm>

#include "views/answers.h"

namespace benchhud::views {

using analysis::kPhases;
using analysis::Phase;

namespace {

void write_phase_time(schema::JsonWriter& json, const analysis::PhaseTime& time) {
  json.begin_object();
  json.field("seconds", time.seconds);
  json.field("basis", analysis::basis_name(time.basis));
  json.key("interval");
  write_interval(json, time.interval);
  json.end_object();
}

void write_phase_summary(schema::JsonWriter& json, const analysis::PhaseSummary& summary) {
  json.begin_object();
  json.field("median", summary.median);
  json.key("interval");
  write_interval(json, summary.interval);
  json.field("n", summary.n);
  json.field("sum", summary.sum);
  json.end_object();
}

void write_reasons(schema::JsonWriter& json, std::string_view name,
                   const std::vector<analysis::GraphBreak>& reasons) {
  json.key(name);
  json.list(schema::first_of(reasons, kMostListed), [&](const analysis::GraphBreak& reason) {
    json.begin_object();
    json.field("reason", reason.reason);
    json.field("count", reason.count);
    json.end_object();
  });
}

std::size_t omitted(std::size_t count) { return count - std::min(count, kMostListed); }

/// All counters with their groups, at most kMostListed. Returns how many more there are.
std::size_t write_counters(schema::JsonWriter& json, const schema::DynamoCounters& counters) {
  std::size_t count = 0;
  json.key("counters");
  json.begin_array();
  for (const auto& [group, members] : counters.groups) {
    for (const auto& [name, value] : members) {
      if (++count > kMostListed) continue;
      json.begin_object();
      json.field("group", group);
      json.field("counter", name);
      json.field("count", value);
      json.end_object();
    }
  }
  json.end_array();
  return omitted(count);
}

void write_definition(schema::JsonWriter& json, std::string_view name, std::string_view meaning) {
  json.begin_object();
  json.field("name", name);
  json.field("meaning", meaning);
  json.end_object();
}

}  // namespace

void write_phased_repetition(schema::JsonWriter& json, const analysis::PhasedRepetition& repetition,
                             std::size_t place) {
  json.begin_object();
  json.field("repetition", place);
  json.field("warmup", bool{repetition.is_warmup});
  json.field("total", repetition.total);
  for (const Phase phase : kPhases) {
    json.key(analysis::phase_name(phase));
    write_phase_time(json, repetition.of(phase));
  }
  json.key("rest_holds");
  json.list(repetition.rest_holds,
            [&](const Phase phase) { json.value(analysis::phase_name(phase)); });
  json.field("overlap", repetition.overlap);
  json.field("xla_compilations", repetition.xla_compilations);
  json.field("graphs_captured", repetition.graphs_captured);
  json.end_object();
}

void write_phase_group(schema::JsonWriter& json, const analysis::PhaseGroup& group) {
  json.begin_object();
  json.field("repetitions", group.repetitions);
  json.key("total");
  write_phase_summary(json, group.total);
  for (const Phase phase : kPhases) {
    json.key(analysis::phase_name(phase));
    write_phase_summary(json, group.of(phase));
  }
  json.end_object();
}

void write_excess(schema::JsonWriter& json, const std::optional<analysis::Excess>& excess) {
  if (!excess) return json.null();
  json.begin_object();
  json.field("seconds", excess->seconds);
  json.key("interval");
  write_interval(json, excess->interval);
  json.field("n", excess->n);
  json.field("noise", bool{excess->is_noise()});
  json.end_object();
}

void write_hygiene_flag(schema::JsonWriter& json, const analysis::HygieneFlag& flag) {
  json.begin_object();
  json.field("code", analysis::concern_name(flag.concern));
  json.field("severity", analysis::severity_name(flag.severity));
  json.field("sentence", flag.sentence);
  json.key("values");
  json.begin_object();
  for (const auto& [name, value] : flag.values) json.field(name, value);
  json.end_object();
  json.key("repetitions");
  json.list(schema::first_of(flag.repetitions, kMostListed),
            [&](const std::size_t repetition) { json.value(repetition); });
  json.end_object();
}

void write_dynamo_report(schema::JsonWriter& json,
                         const std::optional<analysis::DynamoReport>& report) {
  if (!report) return json.null();
  json.begin_object();
  json.field("repetitions", report->repetitions);
  json.field("running_totals", bool{report->running_totals});
  json.field("unique_graphs", report->unique_graphs);
  json.field("recaptured_graphs", report->recaptured_graphs);
  json.field("calls_captured", report->calls_captured);
  json.field("frames_total", report->frames_total);
  json.field("frames_ok", report->frames_ok);
  json.field("recompiles", report->recompiles);
  json.field("graph_break_count", report->graph_break_count);
  write_reasons(json, "graph_breaks", report->graph_breaks);
  write_reasons(json, "unimplemented", report->unimplemented);
  const std::size_t more = write_counters(json, report->totals);
  json.field("omitted",
             more + omitted(report->graph_breaks.size()) + omitted(report->unimplemented.size()));
  json.end_object();
}

void write_fallbacks(schema::JsonWriter& json,
                     const std::optional<std::vector<analysis::FallbackOperation>>& operations) {
  if (!operations) return json.null();
  json.begin_object();
  json.key("items");
  json.list(schema::first_of(*operations, kMostListed), [&](const auto& operation) {
    json.begin_object();
    json.field("operation", operation.times.name);
    json.field("usual", bool{operation.usual});
    json.field("calls", operation.times.calls);
    json.field("repetitions", operation.repetitions);
    json.field("self_cpu", operation.times.self_cpu);
    json.field("total_cpu", operation.times.total_cpu);
    json.field("self_cuda", operation.times.self_cuda);
    json.field("total_cuda", operation.times.total_cuda);
    json.end_object();
  });
  json.field("omitted", omitted(operations->size()));
  json.end_object();
}

void write_definitions(schema::JsonWriter& json) {
  json.begin_object();
  json.key("phases");
  json.list(kPhases, [&](const Phase phase) {
    write_definition(json, analysis::phase_name(phase), analysis::phase_definition(phase));
  });
  json.key("bases");
  json.list(analysis::kBases, [&](const auto basis) {
    write_definition(json, analysis::basis_name(basis), analysis::basis_meaning(basis));
  });
  json.key("checks");
  json.list(analysis::kConcerns, [&](const auto concern) {
    write_definition(json, analysis::concern_name(concern), analysis::concern_definition(concern));
  });
  json.end_object();
}

}  // namespace benchhud::views
