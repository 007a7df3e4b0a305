#include "service/traces/launch_origin.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/trace/label_class.h"
#include "trace/trace_correlation.h"
#include "trace/trace_finding.h"
#include "trace/trace_index.h"

namespace benchhud::service {
namespace {

using schema::Expected;
using trace::LabelText;
using trace::PlacedSlice;
using trace::TraceArgs;
using trace::TraceQueries;

bool is_class(const LabelText& label, std::string_view name) {
  return analysis::label_class(label.name, label.category).name == name;
}

// "torch/nn/modules/linear.py(114): forward", or as XLA writes it, "$train.py:12 step".
bool is_line_of_code(std::string_view frame) {
  const std::size_t line = frame.find(".py");
  return line != frame.npos && line + 3 < frame.size() &&
         (frame[line + 3] == '(' || frame[line + 3] == ':');
}

class OriginFinder {
 public:
  OriginFinder(schema::Connection& connection, schema::TraceId trace)
      : connection_(connection), trace_(trace), lookup_(connection, trace) {}

  Expected<LaunchOrigin> find(const trace::SliceDetails& slice) {
    LaunchOrigin origin;
    BENCHHUD_ASSIGN(origin.call, call_by_arrow(slice.placed));
    if (!origin.call) {
      BENCHHUD_ASSIGN(origin.call, call_by_correlation(slice));
    }
    if (!origin.call) return origin;
    BENCHHUD_ASSIGN(const auto around, lookup_.parents(origin.call->id));
    BENCHHUD_ASSIGN(origin.launching_operator, operator_of(around, slice.extra.args.external_id));
    BENCHHUD_TRY(find_frames(around, &origin));
    if (!origin.module && !origin.line) BENCHHUD_TRY(find_frames_of_forward(around, &origin));
    BENCHHUD_ASSIGN(origin.step, step_at(origin.call->slice.begin));
    return origin;
  }

 private:
  static constexpr std::size_t kMostArrows = 16;
  static constexpr std::size_t kMostChunks = 64;
  static constexpr std::size_t kMostSteps = 20'000;
  static constexpr int kMostOperators = 16;

  // Where an arrow of that kind comes from that ends on a slice.
  Expected<std::optional<PlacedSlice>> origin_of_arrow(const PlacedSlice& slice,
                                                       std::string_view kind) {
    BENCHHUD_ASSIGN(const auto ends, lookup_.flows_on(slice.id, kMostArrows));
    for (const trace::PlacedFlow& end : ends.events) {
      BENCHHUD_ASSIGN(const std::string category, lookup_.text(end.flow.category));
      if (analysis::flow_kind(category) != kind) continue;
      BENCHHUD_ASSIGN(const auto before, lookup_.flow_before(end));
      if (!before) continue;
      BENCHHUD_ASSIGN(auto from, lookup_.innermost_at(before->flow.thread, before->flow.time));
      if (from) return from;
    }
    return std::optional<PlacedSlice>();
  }

  Expected<std::optional<PlacedSlice>> call_by_arrow(const PlacedSlice& slice) {
    return origin_of_arrow(slice, "launch");
  }

  // The labels of calls of the runtime.
  Expected<std::set<std::uint32_t>> runtime_labels(const trace::TraceIndex& index) {
    std::set<std::uint32_t> labels, others;
    BENCHHUD_ASSIGN(const auto tracks, index.tracks());
    for (const trace::IndexedTrack& track : tracks) {
      for (const trace::LabelSums& each : track.sums) {
        if (labels.count(each.label) || others.count(each.label)) continue;
        BENCHHUD_ASSIGN(const LabelText label, lookup_.label(each.label));
        (is_class(label, "runtime") ? labels : others).insert(each.label);
      }
    }
    return labels;
  }

  Expected<std::optional<PlacedSlice>> call_by_correlation(const trace::SliceDetails& slice) {
    const std::int64_t wanted = slice.extra.args.correlation;
    BENCHHUD_ASSIGN(const auto index, trace::TraceIndex::open(connection_, trace_));
    if (wanted == TraceArgs::kAbsent || !index) return std::optional<PlacedSlice>();
    trace::CorrelationQuery query{.correlation = wanted,
                                  .labels = {},
                                  .before = slice.placed.slice.begin,
                                  .most_chunks = kMostChunks};
    BENCHHUD_ASSIGN(query.labels, runtime_labels(*index));
    return trace::find_correlated(connection_, trace_, *index, query);
  }

  Expected<std::optional<PlacedSlice>> operator_of(const std::vector<PlacedSlice>& around,
                                                   std::int64_t external_id) {
    std::optional<PlacedSlice> innermost;
    int seen = 0;
    for (const PlacedSlice& each : around) {
      BENCHHUD_ASSIGN(const LabelText label, lookup_.label(each.slice.label));
      if (!is_class(label, "operator")) continue;
      if (!innermost) innermost = each;
      // 0 is what kineto writes where it knows of none.
      if (external_id == TraceArgs::kAbsent || external_id == 0) break;
      if (++seen > kMostOperators) break;
      BENCHHUD_ASSIGN(const auto details, lookup_.details(each.id));
      if (details.extra.args.external_id == external_id) return std::optional(each);
    }
    return innermost;
  }

  Expected<void> find_frames(const std::vector<PlacedSlice>& around, LaunchOrigin* origin) {
    for (const PlacedSlice& each : around) {
      BENCHHUD_ASSIGN(const LabelText label, lookup_.label(each.slice.label));
      if (!is_class(label, "python")) continue;
      if (label.name.starts_with("nn.Module: ")) {
        if (!origin->module) origin->module = each;
      } else if (!origin->line && is_line_of_code(label.name)) {
        origin->line = each;
      }
    }
    return {};
  }

  Expected<void> find_frames_of_forward(const std::vector<PlacedSlice>& around,
                                        LaunchOrigin* origin) {
    int seen = 0;
    for (const PlacedSlice& each : around) {
      BENCHHUD_ASSIGN(const LabelText label, lookup_.label(each.slice.label));
      if (!is_class(label, "operator")) continue;
      if (++seen > kMostOperators) return {};
      BENCHHUD_ASSIGN(const auto forward, origin_of_arrow(each, "fwdbwd"));
      if (!forward) continue;
      BENCHHUD_ASSIGN(const auto around_forward, lookup_.parents(forward->id));
      BENCHHUD_TRY(find_frames(around_forward, origin));
      origin->is_of_forward = origin->module || origin->line;
      return {};
    }
    return {};
  }

  // Steps are found when a trace is taken in; on whatever thread, because autograd has its own.
  Expected<std::optional<TraceStep>> step_at(std::int64_t time) {
    BENCHHUD_ASSIGN(const auto kinds, trace::trace_finding_kinds(connection_, trace_));
    for (const trace::FindingKind& kind : kinds) {
      if (kind.kind != "step") continue;
      BENCHHUD_ASSIGN(const auto steps,
                      trace::findings_of_kind(connection_, trace_, kind, 0, kMostSteps));
      for (const auto& [step, words] : steps) {
        if (time < step.begin || time >= step.end) continue;
        TraceStep found{.name = words.value_or(""),
                        .begin = step.begin,
                        .end = step.end,
                        .thread = step.thread};
        if (!words) {
          BENCHHUD_ASSIGN(const LabelText label, lookup_.label(step.label));
          found.name = label.name;
        }
        return std::optional(std::move(found));
      }
    }
    return std::optional<TraceStep>();
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  TraceQueries lookup_;
};

}  // namespace

bool has_launch_origin(const LabelText& label) {
  const auto of = analysis::label_class(label.name, label.category);
  return of.side == analysis::TrackSide::kDevice && of.name != "shadow";
}

Expected<LaunchOrigin> launch_origin(schema::Connection& connection, schema::TraceId trace,
                                     const trace::SliceDetails& slice) {
  return OriginFinder(connection, trace).find(slice);
}

}  // namespace benchhud::service
