// What people noted of parts of traces.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "analysis/trace/time_totals.h"
#include "schema/base/text_limits.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "trace/trace_note.h"

namespace benchhud::server {
namespace {

using schema::ErrorCode;
using schema::Expected;
using trace::TraceNote;

void write_note(schema::JsonWriter& json, const TraceNote& note, std::int64_t origin) {
  json.begin_object();
  json.field("id", note.id);
  json.field("begin", analysis::difference_of(note.begin, origin));
  json.field("end", analysis::difference_of(note.end, origin));
  json.field("thread", note.thread);
  json.field("words", note.words);
  json.field("who", note.who);
  json.field("token", note.token);
  json.key("at");
  views::write_time(json, note.at);
  json.end_object();
}

// What its notes hang on, of a trace that who asks may see. It does not wait for the place of a
// trace that was moved: while a note is written, others wait.
Expected<trace::NotedTrace> noted_trace_for(schema::Connection& store, schema::TraceId id,
                                            trace::TokenId token, double now) {
  BENCHHUD_ASSIGN(auto noted, trace::noted_trace(store, id));
  BENCHHUD_ASSIGN(const bool may_see, trace::may_see_trace(store, id, token, now));
  if (!may_see) return no_trace(id);
  return noted;
}

Expected<ResponsePlan> list_notes(RequestContext& context) {
  schema::Connection& store = context.reader().connection();
  const schema::TraceId id{context.query.integer("id")};
  const auto noted = noted_trace_for(store, id, token_of(context), context.now);
  if (!noted) {
    context.wrong_parameter = "id";
    return noted.error();
  }
  BENCHHUD_ASSIGN(context.is_private, trace::is_only_dropped(store, id));
  return ResponsePlan{
      fmt::format("{} {} {}", revision_key(context), noted->content.hex(), noted->origin),
      [&context, noted = *noted](schema::JsonWriter& json) -> Expected<void> {
        BENCHHUD_ASSIGN(const auto notes,
                        trace::trace_notes(context.reader().connection(), noted.content));
        json.begin_object();
        json.key("items");
        json.list(notes, [&](const TraceNote& note) { write_note(json, note, noted.origin); });
        json.end_object();
        return {};
      }};
}

// The trace that a change is about.
Expected<trace::NotedTrace> changed_trace(ChangeContext& context) {
  const schema::TraceId id{context.query.integer("id")};
  auto noted = noted_trace_for(context.store, id, context.token_id, context.now);
  if (!noted) context.wrong_parameter = "id";
  return noted;
}

// A field with a whole number.
template <class Number>
Expected<Number> number_of(ChangeContext& context, std::string_view field) {
  const std::string& text = context.body.text(field);
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  context.wrong_parameter = field;
  return schema::Error{ErrorCode::kInvalidArgument,
                       fmt::format("{} must be a whole number, as a text.", field)};
}

std::string address_of_notes(const ChangeContext& context) {
  return fmt::format("/traces/{}/notes", context.query.integer("id"));
}

Expected<std::string> add_note(ChangeContext& context) {
  BENCHHUD_ASSIGN(const trace::NotedTrace noted, changed_trace(context));
  TraceNote note;
  BENCHHUD_ASSIGN(note.begin, number_of<std::int64_t>(context, "begin"));
  BENCHHUD_ASSIGN(note.end, number_of<std::int64_t>(context, "end"));
  note.begin = analysis::sum_of(note.begin, noted.origin);
  note.end = analysis::sum_of(note.end, noted.origin);
  if (!context.body.text("thread").empty()) {
    BENCHHUD_ASSIGN(note.thread, number_of<std::uint32_t>(context, "thread"));
  }
  note.words = context.body.text("words");
  note.who = context.body.text("who");
  note.token = context.token;
  const auto put = trace::put_trace_note(context.store, noted.content, note);
  if (!put) {
    if (put.error().code == ErrorCode::kTooLarge) {
      context.wrong_parameter = note.who.size() > schema::kMostLineBytes ? "who" : "words";
    }
    if (put.error().code == ErrorCode::kInvalidArgument) {
      context.wrong_parameter = note.words.empty() ? "words" : "end";
    }
    return put.error();
  }
  return address_of_notes(context);
}

Expected<std::string> remove_note(ChangeContext& context) {
  BENCHHUD_ASSIGN(const trace::NotedTrace noted, changed_trace(context));
  const auto done =
      trace::delete_trace_note(context.store, noted.content, context.query.integer("note"));
  if (!done) {
    if (done.error().code == ErrorCode::kNotFound) context.wrong_parameter = "note";
    return done.error();
  }
  return address_of_notes(context);
}

}  // namespace

std::span<const NamedRoute> trace_note_routes() {
  static constexpr std::array routes = {NamedRoute{"listTraceNotes", list_notes}};
  return routes;
}

std::span<const NamedChange> trace_note_changes() {
  static constexpr std::array changes = {NamedChange{"addTraceNote", add_note},
                                         NamedChange{"removeTraceNote", remove_note}};
  return changes;
}

}  // namespace benchhud::server
