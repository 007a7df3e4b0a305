// What a trace has beside its slices: points, counters, arrows.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trace/label_class.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_findings.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "trace/answers/trace_arrows.h"
#include "trace/short_name.h"
#include "trace/trace_counters.h"
#include "trace/trace_device.h"
#include "trace/trace_finding.h"

namespace benchhud::server {
namespace {

using analysis::difference_of;
using schema::Expected;
using trace::TraceQueries;

// Metadata is no event of the timeline.
constexpr char kMetadata = 'M';

Expected<void> write_point(schema::JsonWriter& json, TraceQueries& lookup,
                           const trace::PlacedPoint& placed, std::int64_t origin) {
  const trace::TracePoint& point = placed.point.point;
  BENCHHUD_ASSIGN(const trace::LabelText label, lookup.label(point.label));
  BENCHHUD_ASSIGN(const std::string id, lookup.text(point.id));
  json.field("number", placed.number);
  json.field("thread", point.thread);
  json.field("time", difference_of(point.time, origin));
  json.field("phase", std::string(1, point.phase));
  json.field("name", trace::short_name(label.name));
  json.field("category", trace::short_name(label.category));
  json.field("id", trace::short_name(id));
  return {};
}

Expected<void> write_points(schema::JsonWriter& json, const AskedTrace& asked,
                            const trace::PointQuery& query) {
  TraceQueries lookup(asked.data.database(), asked.data.number());
  BENCHHUD_ASSIGN(const auto points, lookup.points(query));
  json.begin_object();
  json.key("items");
  json.begin_array();
  for (const trace::PlacedPoint& point : points.events) {
    json.begin_object();
    BENCHHUD_TRY(write_point(json, lookup, point, asked.info.origin));
    json.end_object();
  }
  json.end_array();
  json.field("is_cut", points.is_cut);
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_points(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(context, asked));
  const std::string& phase = context.query.text("phase");
  if (phase.size() > 1) return wrong_parameter(context, "phase", "A phase is one character.");
  trace::PointQuery query;
  query.begin = window.begin;
  query.end = window.end;
  query.limit = context.query.size("limit");
  if (context.query.has("thread")) {
    query.thread = static_cast<std::uint32_t>(context.query.integer("thread"));
  }
  if (phase.empty()) {
    query.other_than = kMetadata;
  } else {
    query.phase = phase.front();
  }
  return trace_plan(context, asked, [asked, query](schema::JsonWriter& json) {
    return write_points(json, asked, query);
  });
}

Expected<void> write_one_point(RequestContext& context, schema::JsonWriter& json,
                               const AskedTrace& asked) {
  TraceQueries lookup(asked.data.database(), asked.data.number());
  const auto number = static_cast<std::uint64_t>(context.query.integer("number"));
  const auto point = lookup.point(number);
  if (!point) {
    context.wrong_parameter = "number";
    return point.error();
  }
  std::optional<std::string> arguments;
  if (point->args.packed != trace::TraceArgs::kNotKept) {
    BENCHHUD_ASSIGN(arguments, lookup.arguments(point->args.packed));
  }
  json.begin_object();
  BENCHHUD_TRY(write_point(json, lookup, {number, *point}, asked.info.origin));
  json.field("arguments", arguments);
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_point(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  return trace_plan(context, asked, [&context, asked](schema::JsonWriter& json) {
    return write_one_point(context, json, asked);
  });
}

Expected<void> write_counter(schema::JsonWriter& json, const AskedTrace& asked,
                             const trace::CounterQuery& query) {
  BENCHHUD_ASSIGN(const auto window,
                  trace::counter_window(asked.data.database(), asked.data.number(), query));
  json.begin_object();
  json.field("before", window.before);
  const auto column = [&](std::string_view name, auto value_of) {
    json.key(name);
    json.list(window.parts, [&](const trace::CounterPart& part) { json.value(value_of(part)); });
  };
  column("at", [&](const auto& part) { return difference_of(part.at, asked.info.origin); });
  column("min", [](const auto& part) { return part.min; });
  column("max", [](const auto& part) { return part.max; });
  column("last", [](const auto& part) { return part.last; });
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_counter(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_TRY(asked_index(asked));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(context, asked));
  const trace::CounterQuery query{
      .number = static_cast<std::uint32_t>(context.query.integer("number")),
      .begin = window.begin,
      .end = window.end,
      .buckets = static_cast<std::uint32_t>(context.query.integer("buckets"))};
  return trace_plan(context, asked, [asked, query](schema::JsonWriter& json) {
    return write_counter(json, asked, query);
  });
}

Expected<void> write_busy(schema::JsonWriter& json, const AskedTrace& asked,
                          const trace::BusyQuery& query) {
  BENCHHUD_ASSIGN(const auto items,
                  trace::busy_in_window(asked.data.database(), asked.data.number(), query));
  json.begin_object();
  const auto column = [&](std::string_view name, auto value_of) {
    json.key(name);
    json.list(items, [&](const trace::BusyItem& item) { json.value(value_of(item)); });
  };
  column("begin", [&](const auto& item) { return difference_of(item.begin, asked.info.origin); });
  column("end", [&](const auto& item) { return difference_of(item.end, asked.info.origin); });
  column("busy", [](const auto& item) { return item.busy; });
  column("count", [](const auto& item) { return item.count; });
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_busy(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(context, asked));
  const trace::BusyQuery query{
      .device = static_cast<std::uint32_t>(context.query.integer("device")),
      .begin = window.begin,
      .end = window.end,
      .buckets = static_cast<std::uint32_t>(context.query.integer("buckets"))};
  BENCHHUD_ASSIGN(std::string key, derived_key(context, asked));
  return ResponsePlan{std::move(key), [asked, query](schema::JsonWriter& json) {
                        return write_busy(json, asked, query);
                      }};
}

// What the parameter `kinds` lets through.
Expected<std::vector<std::string>> asked_kinds(RequestContext& context) {
  constexpr std::array<std::string_view, 4> kKinds = {"launch", "fwdbwd", "async", "other"};
  std::vector<std::string> kinds;
  std::string_view rest = context.query.text("kinds");
  if (rest.empty()) return kinds;
  for (;;) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view kind = rest.substr(0, end);
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
      return wrong_parameter(context, "kinds",
                             "kinds must be launch, fwdbwd, async or other, or several of these "
                             "with commas between.");
    }
    kinds.emplace_back(kind);
    if (end == rest.size()) return kinds;
    rest.remove_prefix(end + 1);
  }
}

Expected<void> write_arrows(RequestContext& context, schema::JsonWriter& json,
                            const AskedTrace& asked, const AskedWindow& window,
                            const std::vector<std::string>& kinds) {
  schema::Connection& connection = asked.data.database();
  TraceQueries lookup(connection, asked.data.number());
  const auto kind_of = [&](std::uint32_t category) -> Expected<std::string_view> {
    BENCHHUD_ASSIGN(const std::string text, lookup.text(category));
    return analysis::flow_kind(text);
  };
  trace::ArrowQuery query{.begin = window.begin,
                          .end = window.end,
                          .is_wanted = nullptr,
                          .limit = context.query.size("limit")};
  if (!kinds.empty()) {
    query.is_wanted = [&](std::uint32_t category) -> Expected<bool> {
      BENCHHUD_ASSIGN(const std::string_view kind, kind_of(category));
      return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
  }
  BENCHHUD_ASSIGN(const auto found,
                  trace::arrows_in_window(connection, asked.data.number(), query));
  json.begin_object();
  json.key("arrows");
  json.begin_array();
  for (const trace::Arrow& arrow : found.arrows) {
    BENCHHUD_ASSIGN(const std::string_view kind, kind_of(arrow.from.flow.category));
    json.begin_array();
    json.value(difference_of(arrow.from.flow.time, asked.info.origin));
    json.value(arrow.from.flow.thread);
    json.value(difference_of(arrow.to.flow.time, asked.info.origin));
    json.value(arrow.to.flow.thread);
    json.value(kind);
    json.value(arrow.from.number);
    json.end_array();
  }
  json.end_array();
  json.field("is_cut", found.is_cut);
  json.field("count_at_least", found.count);
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_flows(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(context, asked));
  BENCHHUD_ASSIGN(const auto kinds, asked_kinds(context));
  return trace_plan(context, asked, [&context, asked, window, kinds](schema::JsonWriter& json) {
    return write_arrows(context, json, asked, window, kinds);
  });
}

// Findings as the contract has them.
class FindingWriter {
 public:
  explicit FindingWriter(const AskedTrace& asked)
      : connection_(asked.data.database()),
        asked_(asked),
        lookup_(connection_, asked.data.number()) {}

  struct Row {
    const trace::FindingKind* kind;
    trace::StoredFinding stored;
    std::int64_t begin() const { return stored.finding.begin; }
  };

  Expected<std::vector<Row>> rows(const trace::FindingKind& kind, std::size_t first,
                                  std::size_t limit) {
    BENCHHUD_ASSIGN(auto found,
                    trace::findings_of_kind(connection_, asked_.data.number(), kind, first, limit));
    std::vector<Row> rows;
    rows.reserve(found.size());
    for (trace::StoredFinding& each : found) rows.push_back({&kind, std::move(each)});
    return rows;
  }

  // The one that begins first; none where that is not known. `longest`: the first rows of its kind.
  Expected<std::optional<Row>> earliest(const trace::FindingKind& kind,
                                        const std::vector<Row>& longest) {
    std::optional<Row> first;
    if (kind.kept < kind.count) return first;
    if (!kind.earliest) {
      // An older program kept no more than these.
      const auto found =
          std::min_element(longest.begin(), longest.end(),
                           [](const Row& a, const Row& b) { return a.begin() < b.begin(); });
      if (found != longest.end()) first = *found;
      return first;
    }
    const auto place = static_cast<std::size_t>(*kind.earliest);
    if (place < longest.size()) {
      first = longest[place];
      return first;
    }
    BENCHHUD_ASSIGN(const auto found, rows(kind, place, 1));
    if (!found.empty()) first = found.front();
    return first;
  }

  Expected<void> write(schema::JsonWriter& json, const Row& row) {
    const trace::TraceFinding& finding = row.stored.finding;
    json.begin_object();
    json.field("kind", row.kind->kind);
    json.field("thread", finding.thread);
    json.field("begin", difference_of(finding.begin, asked_.info.origin));
    json.field("end", difference_of(finding.end, asked_.info.origin));
    json.field("duration", difference_of(finding.end, finding.begin));
    // An older program did not keep why.
    const auto cause =
        row.stored.words ? std::nullopt : analysis::finding_cause(row.kind->kind, finding);
    json.field("cause", cause ? std::optional(trace::idle_cause_name(*cause)) : std::nullopt);
    if (row.stored.words) {
      json.field("words", *row.stored.words);
    } else {
      BENCHHUD_ASSIGN(const trace::LabelText label, lookup_.label(finding.label));
      BENCHHUD_ASSIGN(const trace::LabelText other, lookup_.label(finding.other));
      json.field("words", analysis::finding_words(row.kind->kind, finding, label.name, other.name));
    }
    json.end_object();
    return {};
  }

 private:
  schema::Connection& connection_;
  const AskedTrace& asked_;
  TraceQueries lookup_;
};

Expected<void> write_findings(schema::JsonWriter& json, const AskedTrace& asked) {
  constexpr std::size_t kMostOfAKind = 1000;
  BENCHHUD_ASSIGN(const auto kinds,
                  trace::trace_finding_kinds(asked.data.database(), asked.data.number()));
  FindingWriter writer(asked);
  std::vector<FindingWriter::Row> found;
  std::vector<std::optional<FindingWriter::Row>> firsts;
  for (const trace::FindingKind& kind : kinds) {
    BENCHHUD_ASSIGN(auto rows, writer.rows(kind, 0, kMostOfAKind));
    BENCHHUD_ASSIGN(firsts.emplace_back(), writer.earliest(kind, rows));
    std::move(rows.begin(), rows.end(), std::back_inserter(found));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.begin() < b.begin(); });
  json.begin_object();
  json.key("items");
  json.begin_array();
  for (const FindingWriter::Row& row : found) BENCHHUD_TRY(writer.write(json, row));
  json.end_array();
  json.key("kinds");
  json.begin_array();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    json.begin_object();
    json.field("kind", kinds[i].kind);
    json.field("count", kinds[i].count);
    json.field("kept", kinds[i].kept);
    json.key("first");
    if (firsts[i]) {
      BENCHHUD_TRY(writer.write(json, *firsts[i]));
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_findings(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  // They are derived: by other rules others are found.
  return ResponsePlan{revision_key(context) + asked.key,
                      [asked](schema::JsonWriter& json) { return write_findings(json, asked); }};
}

Expected<void> write_findings_of_kind(RequestContext& context, schema::JsonWriter& json,
                                      const AskedTrace& asked,
                                      const std::optional<Cursor>& cursor) {
  BENCHHUD_ASSIGN(const auto kinds,
                  trace::trace_finding_kinds(asked.data.database(), asked.data.number()));
  trace::FindingKind kind{
      .kind = context.query.text("kind"), .count = 0, .kept = 0, .earliest = {}};
  for (const trace::FindingKind& each : kinds) {
    if (each.kind == kind.kind) kind = each;
  }
  const auto first = cursor ? static_cast<std::size_t>(cursor->numbers[0]) : 0;
  FindingWriter writer(asked);
  BENCHHUD_ASSIGN(const auto rows, writer.rows(kind, first, context.query.size("limit")));
  begin_page(json);
  for (const FindingWriter::Row& row : rows) BENCHHUD_TRY(writer.write(json, row));
  const auto end = static_cast<std::int64_t>(first + rows.size());
  std::optional<std::string> next;
  if (!rows.empty() && end < kind.kept) next = make_cursor(cursor_scope(context), {end});
  end_items(json, next, kind.count);
  json.field("kept", kind.kept);
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_findings_of_kind(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_ASSIGN(const auto cursor, asked_cursor(context, 1));
  if (cursor && cursor->numbers[0] < 0)
    return wrong_parameter(context, "cursor", "It is no cursor.");
  return ResponsePlan{revision_key(context) + asked.key,
                      [&context, asked, cursor](schema::JsonWriter& json) {
                        return write_findings_of_kind(context, json, asked, cursor);
                      }};
}

}  // namespace

std::span<const NamedRoute> trace_event_routes() {
  static constexpr std::array routes = {
      NamedRoute{"listTracePoints", list_points},
      NamedRoute{"getTracePoint", get_point},
      NamedRoute{"getTraceCounter", get_counter},
      NamedRoute{"getTraceDeviceBusy", get_busy},
      NamedRoute{"listTraceFlows", list_flows},
      NamedRoute{"listTraceFindings", list_findings},
      NamedRoute{"listTraceFindingsOfKind", list_findings_of_kind}};
  return routes;
}

}  // namespace benchhud::server
