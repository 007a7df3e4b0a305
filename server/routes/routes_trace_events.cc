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
#include "server/routes/trace_parts.h"
#include "trace/short_name.h"
#include "trace/trace_arrows.h"
#include "trace/trace_counters.h"
#include "trace/trace_finding.h"

namespace benchhud::server {
namespace {

using analysis::difference_of;
using schema::Expected;
using trace::TraceLookup;

// Metadata is no event of the timeline.
constexpr char kMetadata = 'M';

Expected<void> write_point(schema::JsonWriter& json, TraceLookup& lookup,
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

Expected<std::string> write_points(Ask& ask, const AskedTrace& asked,
                                   const trace::PointQuery& query) {
  TraceLookup lookup(ask.reader().connection(), asked.id);
  BENCHHUD_ASSIGN(const auto points, lookup.points(query));
  std::string body;
  schema::JsonWriter json(&body);
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
  return body;
}

Expected<Plan> list_points(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(ask, asked));
  const std::string& phase = ask.query.text("phase");
  if (phase.size() > 1) return wrong_parameter(ask, "phase", "A phase is one character.");
  trace::PointQuery query;
  query.begin = window.begin;
  query.end = window.end;
  query.limit = ask.query.size("limit");
  if (ask.query.has("thread")) {
    query.thread = static_cast<std::uint32_t>(ask.query.integer("thread"));
  }
  if (phase.empty()) {
    query.other_than = kMetadata;
  } else {
    query.phase = phase.front();
  }
  return trace_plan(ask, asked, [&ask, asked, query] { return write_points(ask, asked, query); });
}

Expected<std::string> write_one_point(Ask& ask, const AskedTrace& asked) {
  TraceLookup lookup(ask.reader().connection(), asked.id);
  const auto number = static_cast<std::uint64_t>(ask.query.integer("number"));
  const auto point = lookup.point(number);
  if (!point) {
    ask.wrong_parameter = "number";
    return point.error();
  }
  std::optional<std::string> arguments;
  if (point->args.packed != trace::TraceArgs::kNotKept) {
    BENCHHUD_ASSIGN(arguments, lookup.arguments(point->args.packed));
  }
  std::string body;
  schema::JsonWriter json(&body);
  json.begin_object();
  BENCHHUD_TRY(write_point(json, lookup, {number, *point}, asked.info.origin));
  json.field("arguments", arguments);
  json.end_object();
  return body;
}

Expected<Plan> get_point(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  return trace_plan(ask, asked, [&ask, asked] { return write_one_point(ask, asked); });
}

Expected<std::string> write_counter(Ask& ask, const AskedTrace& asked,
                                    const trace::CounterQuery& query) {
  BENCHHUD_ASSIGN(const auto window,
                  trace::counter_window(ask.reader().connection(), asked.id, query));
  std::string body;
  schema::JsonWriter json(&body);
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
  return body;
}

Expected<Plan> get_counter(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  BENCHHUD_TRY(asked_index(ask, asked));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(ask, asked));
  const trace::CounterQuery query{
      .number = static_cast<std::uint32_t>(ask.query.integer("number")),
      .begin = window.begin,
      .end = window.end,
      .buckets = static_cast<std::uint32_t>(ask.query.integer("buckets"))};
  return trace_plan(ask, asked, [&ask, asked, query] { return write_counter(ask, asked, query); });
}

// What the parameter `kinds` lets through.
Expected<std::vector<std::string>> asked_kinds(Ask& ask) {
  constexpr std::array<std::string_view, 4> kKinds = {"launch", "fwdbwd", "async", "other"};
  std::vector<std::string> kinds;
  std::string_view rest = ask.query.text("kinds");
  if (rest.empty()) return kinds;
  for (;;) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view kind = rest.substr(0, end);
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
      return wrong_parameter(ask, "kinds",
                             "kinds must be launch, fwdbwd, async or other, or several of these "
                             "with commas between.");
    }
    kinds.emplace_back(kind);
    if (end == rest.size()) return kinds;
    rest.remove_prefix(end + 1);
  }
}

Expected<std::string> write_arrows(Ask& ask, const AskedTrace& asked, const AskedWindow& window,
                                   const std::vector<std::string>& kinds) {
  schema::Connection& connection = ask.reader().connection();
  TraceLookup lookup(connection, asked.id);
  const auto kind_of = [&](std::uint32_t category) -> Expected<std::string_view> {
    BENCHHUD_ASSIGN(const std::string text, lookup.text(category));
    return analysis::flow_kind(text);
  };
  trace::ArrowQuery query{.begin = window.begin,
                           .end = window.end,
                           .is_wanted = nullptr,
                           .limit = ask.query.size("limit")};
  if (!kinds.empty()) {
    query.is_wanted = [&](std::uint32_t category) -> Expected<bool> {
      BENCHHUD_ASSIGN(const std::string_view kind, kind_of(category));
      return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
  }
  BENCHHUD_ASSIGN(const auto found, trace::arrows_in_window(connection, asked.id, query));
  std::string body;
  schema::JsonWriter json(&body);
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
  return body;
}

Expected<Plan> list_flows(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  BENCHHUD_ASSIGN(const AskedWindow window, asked_window(ask, asked));
  BENCHHUD_ASSIGN(const auto kinds, asked_kinds(ask));
  return trace_plan(
      ask, asked, [&ask, asked, window, kinds] { return write_arrows(ask, asked, window, kinds); });
}

// Findings as the contract has them.
class FindingWriter {
 public:
  FindingWriter(Ask& ask, const AskedTrace& asked)
      : connection_(ask.reader().connection()), asked_(asked), lookup_(connection_, asked.id) {}

  struct Row {
    const trace::FindingKind* kind;
    trace::StoredFinding stored;
    std::int64_t begin() const { return stored.finding.begin; }
  };

  Expected<std::vector<Row>> rows(const trace::FindingKind& kind, std::size_t first,
                                  std::size_t limit) {
    BENCHHUD_ASSIGN(auto found,
                    trace::findings_of_kind(connection_, asked_.id, kind, first, limit));
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
  TraceLookup lookup_;
};

Expected<std::string> write_findings(Ask& ask, const AskedTrace& asked) {
  constexpr std::size_t kMostOfAKind = 1000;
  BENCHHUD_ASSIGN(const auto kinds,
                  trace::trace_finding_kinds(ask.reader().connection(), asked.id));
  FindingWriter writer(ask, asked);
  std::vector<FindingWriter::Row> found;
  std::vector<std::optional<FindingWriter::Row>> firsts;
  for (const trace::FindingKind& kind : kinds) {
    BENCHHUD_ASSIGN(auto rows, writer.rows(kind, 0, kMostOfAKind));
    BENCHHUD_ASSIGN(firsts.emplace_back(), writer.earliest(kind, rows));
    std::move(rows.begin(), rows.end(), std::back_inserter(found));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.begin() < b.begin(); });
  std::string body;
  schema::JsonWriter json(&body);
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
  return body;
}

Expected<Plan> list_findings(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  // They are derived: by other rules others are found.
  return Plan{revision_key(ask) + asked.key, [&ask, asked] { return write_findings(ask, asked); }};
}

Expected<std::string> write_findings_of_kind(Ask& ask, const AskedTrace& asked,
                                             const std::optional<Cursor>& cursor) {
  BENCHHUD_ASSIGN(const auto kinds,
                  trace::trace_finding_kinds(ask.reader().connection(), asked.id));
  trace::FindingKind kind{.kind = ask.query.text("kind"), .count = 0, .kept = 0, .earliest = {}};
  for (const trace::FindingKind& each : kinds) {
    if (each.kind == kind.kind) kind = each;
  }
  const auto first = cursor ? static_cast<std::size_t>(cursor->numbers[0]) : 0;
  FindingWriter writer(ask, asked);
  BENCHHUD_ASSIGN(const auto rows, writer.rows(kind, first, ask.query.size("limit")));
  std::string body;
  schema::JsonWriter json(&body);
  begin_page(json);
  for (const FindingWriter::Row& row : rows) BENCHHUD_TRY(writer.write(json, row));
  const auto end = static_cast<std::int64_t>(first + rows.size());
  std::optional<std::string> next;
  if (!rows.empty() && end < kind.kept) next = make_cursor(cursor_scope(ask), {end});
  end_items(json, next, kind.count);
  json.field("kept", kind.kept);
  json.end_object();
  return body;
}

Expected<Plan> list_findings_of_kind(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  BENCHHUD_ASSIGN(const auto cursor, asked_cursor(ask, 1));
  if (cursor && cursor->numbers[0] < 0) return wrong_parameter(ask, "cursor", "It is no cursor.");
  return Plan{revision_key(ask) + asked.key,
              [&ask, asked, cursor] { return write_findings_of_kind(ask, asked, cursor); }};
}

constexpr std::array kRoutes = {NamedRoute{"listTracePoints", list_points},
                                NamedRoute{"getTracePoint", get_point},
                                NamedRoute{"getTraceCounter", get_counter},
                                NamedRoute{"listTraceFlows", list_flows},
                                NamedRoute{"listTraceFindings", list_findings},
                                NamedRoute{"listTraceFindingsOfKind", list_findings_of_kind}};

}  // namespace

std::span<const NamedRoute> trace_event_routes() { return kRoutes; }

}  // namespace benchhud::server
