#include "service/traces/launch_origin.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/trace/label_class.h"
#include "trace/answers/trace_correlation.h"
#include "trace/trace_device.h"
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
  constexpr std::string_view kEnd = ".py";
  // A folder's name may have it as well: "/root/.pyenv/lib/a.py(7): f".
  for (std::size_t at = 0; (at = frame.find(kEnd, at)) != frame.npos;) {
    at += kEnd.size();
    const std::string_view behind = frame.substr(at, 2);
    if (behind.size() == 2 && (behind[0] == '(' || behind[0] == ':') && behind[1] >= '0' &&
        behind[1] <= '9') {
      return true;
    }
  }
  return false;
}

class OriginFinder {
 public:
  OriginFinder(schema::Connection& connection, schema::TraceId trace)
      : connection_(connection), trace_(trace), lookup_(connection, trace) {}

  Expected<LaunchOrigin> find(const trace::SliceDetails& slice) {
    LaunchOrigin origin;
    BENCHHUD_ASSIGN(origin.call, call_by_arrow(slice));
    if (!origin.call) BENCHHUD_TRY(find_call_by_correlation(slice, &origin));
    if (!origin.call) return origin;
    BENCHHUD_ASSIGN(const auto around, lookup_.parents(origin.call->id));
    BENCHHUD_ASSIGN(origin.launching_operator, operator_of(around, slice.extra.args.external_id));
    BENCHHUD_TRY(find_frames(around, &origin));
    if (!origin.module && !origin.line) BENCHHUD_TRY(find_frames_of_forward(around, &origin));
    BENCHHUD_TRY(find_step(&origin));
    return origin;
  }

 private:
  static constexpr std::size_t kMostArrows = 16;
  static constexpr std::size_t kMostChunks = 64;
  static constexpr std::size_t kMostSteps = 20'000;
  static constexpr std::size_t kMostLabels = 20'000;
  static constexpr int kMostOperators = 16;

  // Where an arrow of that kind comes from that ends on a slice: of the slices that it begins on
  // the first that `choose` gives one for.
  template <class Choose>
  Expected<std::optional<PlacedSlice>> origin_of_arrow(const PlacedSlice& slice,
                                                       std::string_view kind,
                                                       const Choose& choose) {
    BENCHHUD_ASSIGN(const auto ends, lookup_.flows_on(slice.id, kMostArrows));
    for (const trace::PlacedFlow& end : ends.events) {
      BENCHHUD_ASSIGN(const std::string category, lookup_.text(end.flow.category));
      if (analysis::flow_kind(category) != kind) continue;
      BENCHHUD_ASSIGN(const auto before, lookup_.flow_before(end));
      if (!before) continue;
      BENCHHUD_ASSIGN(const auto from,
                      lookup_.innermost_at(before->flow.thread, before->flow.time));
      if (!from) continue;
      BENCHHUD_ASSIGN(auto chosen, choose(*from));
      if (chosen) return chosen;
    }
    return std::optional<PlacedSlice>();
  }

  // The call of the runtime that a slice is, or that is right around it. A file that lacks the call
  // has the arrow's begin all the same: then it is on whatever was around the call.
  Expected<std::optional<PlacedSlice>> call_at(const PlacedSlice& slice, std::int64_t correlation) {
    BENCHHUD_ASSIGN(auto chain, lookup_.parents(slice.id));
    chain.insert(chain.begin(), slice);
    int others = 0;
    for (const PlacedSlice& each : chain) {
      BENCHHUD_ASSIGN(const LabelText label, lookup_.label(each.slice.label));
      if (!is_class(label, "runtime")) {
        if (++others > 1) break;
        continue;
      }
      BENCHHUD_ASSIGN(const auto details, lookup_.details(each.id));
      const std::int64_t own = details.extra.args.correlation;
      const bool fits =
          own == TraceArgs::kAbsent || correlation == TraceArgs::kAbsent || own == correlation;
      if (fits) return std::optional(each);
    }
    return std::optional<PlacedSlice>();
  }

  Expected<std::optional<PlacedSlice>> call_by_arrow(const trace::SliceDetails& slice) {
    return origin_of_arrow(slice.placed, "launch", [&](const PlacedSlice& from) {
      return call_at(from, slice.extra.args.correlation);
    });
  }

  // The labels of calls of the runtime; none where there are too many labels.
  Expected<std::optional<std::set<std::uint32_t>>> runtime_labels(const trace::TraceIndex& index) {
    std::optional<std::set<std::uint32_t>> none;
    std::set<std::uint32_t> labels, others;
    BENCHHUD_ASSIGN(const auto tracks, index.tracks());
    for (const trace::IndexedTrack& track : tracks) {
      for (const trace::LabelSums& each : track.sums) {
        if (labels.count(each.label) || others.count(each.label)) continue;
        if (labels.size() + others.size() >= kMostLabels) return none;
        BENCHHUD_ASSIGN(const LabelText label, lookup_.label(each.label));
        (is_class(label, "runtime") ? labels : others).insert(each.label);
      }
    }
    return std::optional(std::move(labels));
  }

  Expected<void> find_call_by_correlation(const trace::SliceDetails& slice, LaunchOrigin* origin) {
    const std::int64_t wanted = slice.extra.args.correlation;
    if (wanted == TraceArgs::kAbsent) return {};
    BENCHHUD_ASSIGN(const auto index, trace::TraceIndex::open(connection_, trace_));
    if (!index) {
      origin->why_no_call = NotSearched::kNoIndex;
      return {};
    }
    origin->why_no_call = NotSearched::kTooMuch;
    BENCHHUD_ASSIGN(auto labels, runtime_labels(*index));
    if (!labels) return {};
    const trace::CorrelationQuery query{.correlation = wanted,
                                        .labels = *std::move(labels),
                                        .before = slice.placed.slice.begin,
                                        .most_chunks = kMostChunks};
    BENCHHUD_ASSIGN(const auto found, trace::find_correlated(connection_, trace_, *index, query));
    origin->call = found.slice;
    if (found.is_complete) origin->why_no_call.reset();
    if (found.is_ambiguous) origin->why_no_call = NotSearched::kAmbiguous;
    return {};
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
      BENCHHUD_ASSIGN(const auto forward,
                      origin_of_arrow(each, "fwdbwd", [](const PlacedSlice& from) {
                        return Expected<std::optional<PlacedSlice>>(from);
                      }));
      if (!forward) continue;
      BENCHHUD_ASSIGN(const auto around_forward, lookup_.parents(forward->id));
      BENCHHUD_TRY(find_frames(around_forward, origin));
      origin->is_of_forward = origin->module || origin->line;
      return {};
    }
    return {};
  }

  // Threads of the process of that thread: a trace that was merged has the steps of each process.
  Expected<std::set<std::uint32_t>> threads_beside(std::uint32_t thread) {
    BENCHHUD_ASSIGN(const auto all, lookup_.threads());
    std::map<std::string_view, std::set<std::uint32_t>> by_process;
    std::string_view wanted;
    for (const trace::StoredThread& each : all) {
      by_process[each.thread.pid].insert(each.number);
      if (each.number == thread) wanted = each.thread.pid;
    }
    return std::move(by_process[wanted]);
  }

  Expected<TraceStep> step_of(const trace::StoredFinding& found) {
    TraceStep step{.name = found.words.value_or(""),
                   .begin = found.finding.begin,
                   .end = found.finding.end,
                   .thread = found.finding.thread};
    if (!found.words) {
      BENCHHUD_ASSIGN(const LabelText label, lookup_.label(found.finding.label));
      step.name = label.name;
    }
    return step;
  }

  // Steps are found when a trace is taken in; on whatever thread of the process, because autograd
  // has its own.
  Expected<void> find_step(LaunchOrigin* origin) {
    const std::int64_t time = origin->call->slice.begin;
    BENCHHUD_ASSIGN(const auto threads, threads_beside(origin->call->id.thread));
    BENCHHUD_ASSIGN(const auto kinds, trace::trace_finding_kinds(connection_, trace_));
    for (const trace::FindingKind& kind : kinds) {
      if (kind.kind != "step") continue;
      BENCHHUD_ASSIGN(const auto steps,
                      trace::findings_of_kind(connection_, trace_, kind, 0, kMostSteps));
      for (const trace::StoredFinding& each : steps) {
        const trace::TraceFinding& step = each.finding;
        if (time < step.begin || time >= step.end || !threads.count(step.thread)) continue;
        BENCHHUD_ASSIGN(origin->step, step_of(each));
        return {};
      }
      if (kind.count > static_cast<std::int64_t>(steps.size())) {
        origin->why_no_step = NotSearched::kTooMuch;
      }
      return {};
    }
    // Devices are derived together with steps.
    BENCHHUD_ASSIGN(const auto devices, trace::trace_devices(connection_, trace_));
    if (!devices) origin->why_no_step = NotSearched::kNotDerived;
    return {};
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  TraceQueries lookup_;
};

}  // namespace

std::string_view not_searched_name(NotSearched why) {
  switch (why) {
    case NotSearched::kNoIndex:
      return "no_index";
    case NotSearched::kTooMuch:
      return "too_much";
    case NotSearched::kAmbiguous:
      return "ambiguous";
    case NotSearched::kNotDerived:
      break;
  }
  return "not_derived";
}

bool has_launch_origin(const LabelText& label) {
  const auto of = analysis::label_class(label.name, label.category);
  return of.side == analysis::TrackSide::kDevice && of.name != "shadow";
}

Expected<LaunchOrigin> launch_origin(schema::Connection& connection, schema::TraceId trace,
                                     const trace::SliceDetails& slice) {
  return OriginFinder(connection, trace).find(slice);
}

}  // namespace benchhud::service
