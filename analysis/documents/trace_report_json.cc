// report_json(): a section for each of TraceReport's.
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/documents/trace_json.h"
#include "analysis/documents/trace_json_parts.h"
#include "analysis/documents/xla_json.h"
#include "trace/short_name.h"

namespace benchhud::analysis {

using nlohmann::ordered_json;
using trace::short_name;
using trace::Trace;
using trace_json::or_null;
using trace_json::unless;

namespace {

// A list that a hostile trace can make long is cut here.
constexpr std::size_t kMostCalls = 100;
ordered_json totals_json(const TimeTotals& time) {
  return {{"count", time.count},
          {"total_ns", time.total},
          {"mean_ns", time.count > 0 ? ordered_json(time.mean()) : ordered_json()},
          {"min_ns", time.count > 0 ? ordered_json(time.least) : ordered_json()},
          {"max_ns", time.count > 0 ? ordered_json(time.most) : ordered_json()}};
}

// {…totals, "a": …}: what is counted beside what it is of.
ordered_json with(ordered_json json, const ordered_json& more) {
  json.update(more);
  return json;
}

template <class Rows, class ToJson>
ordered_json list_json(const Rows& rows, ToJson to_json) {
  ordered_json json = ordered_json::array();
  for (const auto& row : rows) json.push_back(to_json(row));
  return json;
}

ordered_json tree_row_json(const NameTreeRow& row) {
  return with(
      {{"name", short_name(row.name)}, {"depth", row.depth}, {"parent", or_null(row.parent)}},
      with(totals_json(row.time), {{"self_ns", row.self}}));
}

// Whether Inductor generates code for it; null where that is not known.
ordered_json lowering_json(Lowering lowering) {
  if (lowering == Lowering::kUnknown) return nullptr;
  return lowering == Lowering::kGenerated;
}

ordered_json verdict_json(const CompileVerdict& verdict, const TraceUnknowns& unknowns) {
  constexpr std::array kApplied = {"yes", "no", "partly", "cannot_tell"};
  return {{"applied", kApplied[static_cast<std::size_t>(verdict.applied)]},
          {"evidence", list_json(verdict.evidence, short_name)},
          {"inductor_triton_kernels", unless(unknowns.device, verdict.generated_kernels)},
          {"handed_back",
           list_json(verdict.handed_back,
                     [&](const HandedBackRow& row) {
                       return with({{"name", short_name(row.name)}},
                                   with(totals_json(row.time),
                                        {{"device_ns", unless(unknowns.operators, row.device)},
                                         {"generated_by_inductor", lowering_json(row.lowering)}}));
                     })},
          {"handed_back_left_out", verdict.handed_back_left_out},
          {"handed_back_total", totals_json(verdict.handed_back_all)}};
}

ordered_json advice_json(const Advice& advice) {
  ordered_json numbers = ordered_json::object();
  for (const auto& [name, number] : advice.numbers) numbers[std::string(name)] = number;
  return {{"code", advice.code},
          {"severity", name_of(advice.severity)},
          {"sentence", short_name(advice.sentence)},
          {"numbers", std::move(numbers)}};
}

ordered_json breakdown_json(const DeviceBreakdown& breakdown) {
  using Type = DeviceBreakdown::Type;
  constexpr std::array kSets = {"idle",
                                "compute",
                                "communication",
                                "compute_and_communication",
                                "memory",
                                "compute_and_memory",
                                "communication_and_memory",
                                "all"};
  ordered_json exclusive;
  for (std::size_t i = 0; i < kSets.size(); ++i) exclusive[kSets[i]] = breakdown.exclusive[i];
  return {{"span_ns", breakdown.span},
          {"idle_ns", breakdown.idle()},
          {"compute_ns", breakdown.busy(Type::kCompute)},
          {"communication_ns", breakdown.busy(Type::kCommunication)},
          {"memory_ns", breakdown.busy(Type::kMemory)},
          {"exclusive_ns", std::move(exclusive)},
          {"overlap_of_communication", or_null(breakdown.overlap_of_communication())}};
}

ordered_json kernels_json(const KernelTable& table) {
  return {
      {"total", totals_json(table.all)},
      {"kernels", table.kernels},
      {"short_kernels", table.short_kernels},
      {"by_name", list_json(table.rows,
                            [](const KernelRow& row) {
                              return with(
                                  {{"name", short_name(row.name)}, {"class", name_of(row.kind)}},
                                  with(totals_json(row.time), {{"share", row.share}}));
                            })},
      {"names_left_out", table.rows_left_out},
      {"left_out", totals_json(table.left_out)},
      {"by_operator",
       list_json(table.operators,
                 [](const LaunchingOperatorRow& row) {
                   return with({{"name", row.name.empty() ? ordered_json()
                                                          : ordered_json(short_name(row.name))}},
                               with(totals_json(row.time), {{"share", row.share}}));
                 })},
      {"operators_left_out", table.operators_left_out},
      {"operators_left_out_total", totals_json(table.operators_left_out_time)}};
}

ordered_json launches_json(const TraceReport& report) {
  const LaunchStats& stats = report.launches;
  trace_json::NamedCounts calls = trace_json::named_counts(report.activity.launches, kMostCalls);
  return {{"calls", stats.calls},
          {"launched", stats.launched},
          {"without_call", stats.without_call},
          {"from_graphs", report.notes.graph_launched},
          {"by_call", std::move(calls.by_name)},
          {"by_call_left_out", calls.left_out},
          {"call_total", totals_json(stats.call_time)},
          {"call_ns", trace_json::quantiles(stats.call)},
          {"device_ns", trace_json::quantiles(stats.device)},
          {"delay_ns", trace_json::quantiles(stats.delay)},
          {"long_calls", stats.long_calls},
          {"long_delays", stats.long_delays},
          {"longer_than_launched", stats.longer_than_launched},
          {"by_name", list_json(stats.rows,
                                [](const LaunchRow& row) {
                                  return ordered_json{{"name", short_name(row.name)},
                                                      {"count", row.count},
                                                      {"call", totals_json(row.call)},
                                                      {"device", totals_json(row.device)},
                                                      {"delay", totals_json(row.delay)},
                                                      {"long_delays", row.long_delays}};
                                })},
          {"names_left_out", stats.rows_left_out}};
}

ordered_json queue_json(const Trace& trace, const LaunchQueue& queue) {
  const trace::TraceThread& stream = trace.threads[queue.stream];
  return {{"pid", short_name(stream.pid)},   {"tid", short_name(stream.tid)},
          {"name", short_name(stream.name)}, {"launched", queue.launched},
          {"begin_ns", queue.begin},         {"span_ns", queue.span},
          {"longest", queue.longest},        {"mean", queue.mean},
          {"full_ns", queue.time_full},      {"longest_by_part", queue.buckets}};
}

ordered_json copy_json(const CopyRow& row) {
  return with(
      {{"name", short_name(row.name)}},
      with(totals_json(row.time),
           {{"stated", row.stated},
            {"bytes", row.stated > 0 ? ordered_json(row.bytes) : ordered_json()},
            {"mean_gb_per_s", or_null(row.mean_bandwidth())},
            {"max_gb_per_s", row.fastest > 0 ? ordered_json(row.fastest) : ordered_json()}}));
}

ordered_json parts_json(const StepParts& parts) {
  ordered_json json;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    json[std::string(name_of(static_cast<StepPart>(i)))] = parts[i];
  }
  return json;
}

// A moment belongs to the first of the parts, the device's before the host's: without the device's
// there is none.
ordered_json steps_json(const StepBreakdown& steps, const TraceUnknowns& unknowns) {
  ordered_json mean;
  if (steps.count > 0 && unknowns.device.empty()) {
    const auto count = static_cast<double>(steps.count);
    for (std::size_t i = 0; i < steps.parts.size(); ++i) {
      mean[std::string(name_of(static_cast<StepPart>(i)))] =
          static_cast<double>(steps.parts[i]) / count;
    }
  }
  return {{"count", steps.count},
          {"duration_ns", steps.duration},
          {"parts_ns", unless(unknowns.device, parts_json(steps.parts))},
          {"mean_parts_ns", std::move(mean)},
          {"steps", list_json(steps.steps,
                              [&](const ProfilerStep& step) {
                                return ordered_json{
                                    {"name", short_name(step.name)},
                                    {"start_ns", step.start},
                                    {"duration_ns", step.duration},
                                    {"parts_ns", unless(unknowns.device, parts_json(step.parts))}};
                              })},
          {"steps_left_out", steps.steps_left_out}};
}

ordered_json operators_json(const OperatorTable& table, const TraceUnknowns& unknowns) {
  return {
      {"count", table.count},
      {"self_ns", table.self},
      {"by_name", list_json(table.rows,
                            [&](const OperatorRow& row) {
                              return ordered_json{
                                  {"name", short_name(row.name)},
                                  {"category", short_name(row.category)},
                                  {"count", row.count},
                                  {"total_ns", row.total},
                                  {"self_ns", row.self},
                                  {"device_ns", unless(unknowns.operators, row.device)},
                                  {"share", row.share ? ordered_json(*row.share) : ordered_json()}};
                            })},
      {"names_left_out", table.rows_left_out},
      {"left_out", {{"count", table.left_out_count}, {"self_ns", table.left_out_self}}}};
}

ordered_json autograd_json(const AutogradLinks& links) {
  return {{"links", links.count},
          {"without_start", links.without_start},
          {"without_operator", links.without_operator},
          {"by_name", list_json(links.groups,
                                [](const AutogradLinkGroup& group) {
                                  return ordered_json{
                                      {"forward", short_name(group.forward)},
                                      {"backward", short_name(group.backward)},
                                      {"forward_time", totals_json(group.forward_time)},
                                      {"backward_time", totals_json(group.backward_time)}};
                                })},
          {"names_left_out", links.groups_left_out}};
}

ordered_json graph_breaks_json(const TraceReport& report) {
  const GraphBreakTree& tree = report.graph_breaks;
  return {{"regions", report.regions.count},
          {"breaks", report.regions.graph_breaks},
          {"breaks_distinct", or_null(report.regions.graph_breaks_distinct)},
          {"chains", tree.chains},
          {"broken_chains", tree.broken_chains},
          {"longest_chain", tree.longest_chain},
          {"tree", list_json(tree.nodes,
                             [](const GraphBreakNode& node) {
                               return with(tree_row_json(node.row),
                                           {{"eager", totals_json(node.eager)}});
                             })},
          {"executions_left_out", tree.left_out}};
}

ordered_json frames_json(const TraceReport& report) {
  const CompiledFrames& frames = report.frames;
  const auto version_json = [](const CompiledVersion& version) {
    return ordered_json{{"id", short_name(version.id)},
                        {"executed", totals_json(version.executed)},
                        {"compiled", totals_json(version.compiled)}};
  };
  return {{"recompiles", or_null(report.regions.recompiles)},
          {"compiled_in_trace", totals_json(frames.compiled)},
          {"compiled_without_frame", frames.unassigned},
          {"frames", list_json(frames.frames,
                               [&](const CompiledFrame& frame) {
                                 return ordered_json{
                                     {"frame", short_name(frame.frame)},
                                     {"executions", frame.executions},
                                     {"recompiles", frame.recompiles},
                                     {"compilations_ever", frame.compilations},
                                     {"versions", list_json(frame.versions, version_json)},
                                     {"versions_left_out", frame.versions_left_out}};
                               })},
          {"frames_left_out", frames.frames_left_out}};
}

// Beginning and length of a slice; null where there is none.
ordered_json span_json(const Trace& trace, std::uint32_t index) {
  if (index == trace::kNoSlice) return nullptr;
  const trace::TraceSlice& slice = trace.slices[index];
  return {{"start_ns", slice.start}, {"duration_ns", slice.duration}};
}

ordered_json functions_json(const Trace& trace, const CompiledPairs& pairs) {
  const auto region_json = [](const std::string& region) {
    return region.empty() ? ordered_json() : ordered_json(short_name(region));
  };
  return {{"paired", pairs.paired},
          {"forward_only", pairs.forward_only},
          {"backward_only", pairs.backward_only},
          {"by_region", list_json(pairs.groups,
                                  [&](const CompiledPairGroup& group) {
                                    return ordered_json{{"region", region_json(group.region)},
                                                        {"paired", group.paired},
                                                        {"forward", totals_json(group.forward)},
                                                        {"backward", totals_json(group.backward)}};
                                  })},
          {"regions_left_out", pairs.groups_left_out},
          {"pairs",
           list_json(pairs.pairs,
                     [&](const CompiledPair& pair) {
                       const bool has_sequence = pair.sequence != trace::TraceArgs::kAbsent;
                       return ordered_json{{"sequence", has_sequence ? ordered_json(pair.sequence)
                                                                     : ordered_json()},
                                           {"region", region_json(pair.region)},
                                           {"forward", span_json(trace, pair.forward)},
                                           {"backward", span_json(trace, pair.backward)}};
                     })},
          {"pairs_left_out", pairs.pairs_left_out}};
}

ordered_json compile_time_json(const TraceCompileTime& time) {
  return {{"total_ns", time.total},
          {"sum_ns", time.sum},
          {"phases", list_json(time.phases, tree_row_json)},
          {"slices_left_out", time.phases_left_out},
          {"by_annotation",
           list_json(time.annotations,
                     [](const AnnotatedCompilation& row) {
                       const bool is_outside = row.annotation.empty();
                       return ordered_json{
                           {"annotation",
                            is_outside ? ordered_json() : ordered_json(short_name(row.annotation))},
                           {"annotated", is_outside ? ordered_json() : totals_json(row.annotated)},
                           {"compiled", totals_json(row.compiled)}};
                     })},
          {"annotations_left_out", time.annotations_left_out},
          {"by_compile_id", list_json(time.ids,
                                      [](const CompiledId& row) {
                                        return ordered_json{
                                            {"compile_id", short_name(row.id)},
                                            {"compiled", totals_json(row.compiled)},
                                            {"phases",
                                             list_json(row.phases,
                                                       [](const CompiledId::Phase& phase) {
                                                         return ordered_json{
                                                             {"name", short_name(phase.name)},
                                                             {"time", totals_json(phase.time)}};
                                                       })},
                                            {"phases_left_out", row.phases_left_out}};
                                      })},
          {"compile_ids_left_out", time.ids_left_out},
          {"profiled", time.is_profiled}};
}

}  // namespace

ordered_json report_json(const Trace& trace, const TraceReport& report) {
  const TraceUnknowns& unknowns = report.activity.unknowns;
  ordered_json json;
  json["events"] = trace.events;
  json["slices"] = trace.slices.size();
  json["set_aside"] = report.activity.set_aside;
  json["begin_ns"] = report.begin;
  json["span_ns"] = report.span;
  json["host_busy_ns"] = unless(unknowns.device, report.host_busy);
  json["max_depth"] = report.max_depth;
  json["overlaps"] = report.overlaps;
  json["advice"] = list_json(report.advice, advice_json);
  json["torch_compile"] = verdict_json(report.verdict, unknowns);
  json["compiled_code"] = {{"compiled_ns", report.code.compiled},
                           {"eager_in_regions_ns", report.code.eager},
                           {"outside_ns", report.code.outside},
                           {"compiling_ns", report.code.compiling},
                           {"cache_lookups", report.code.cache_lookups}};
  json["graph_breaks"] = graph_breaks_json(report);
  json["recompilation"] = frames_json(report);
  json["compiled_functions"] = functions_json(trace, report.pairs);
  json["compile_time"] = compile_time_json(report.compile_time);
  json["cannot_tell"] = trace_json::unknowns(unknowns);
  json["device"] = trace_json::device(report.activity);
  json["kernel_classes"] = trace_json::kernel_classes(report.activity);
  json["launch_delay_ns"] = trace_json::quantiles(report.activity.launch_delay);
  json["idle_ns"] = trace_json::idle(report.activity);
  json["device_breakdown"] = unless(unknowns.device, breakdown_json(report.breakdown));
  json["kernels"] = unless(unknowns.device, kernels_json(report.kernels));
  json["launches"] = unless(unknowns.launches, launches_json(report));
  json["launch_queues"] = unless(
      unknowns.launches,
      list_json(report.queues, [&](const LaunchQueue& queue) { return queue_json(trace, queue); }));
  json["launch_queues_left_out"] = unless(unknowns.launches, report.queues_left_out);
  json["copies"] = unless(unknowns.device, list_json(report.copies, copy_json));
  json["copies_left_out"] = unless(unknowns.device, report.copies_left_out);
  trace_json::add_memory(&json, trace.memory);
  json["steps"] = steps_json(report.steps, unknowns);
  json["operators"] = operators_json(report.operators, unknowns);
  json["autograd"] = autograd_json(report.autograd);
  json["flows"] = {{"bound", report.flows.bound}, {"dangling", report.flows.dangling}};
  json["profiling"] = {
      {"python_frames", report.notes.python_frames},
      {"overhead", totals_json(report.notes.overhead)},
      {"synchronizations", unless(unknowns.launches, totals_json(report.notes.synchronizations))},
      {"pageable_copies", unless(unknowns.device, totals_json(report.notes.pageable_copies))}};
  json["xla"] = xla_json(trace, report);
  trace_json::add_problems(&json, trace);
  return json;
}

}  // namespace benchhud::analysis
