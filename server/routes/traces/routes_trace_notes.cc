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

Expected<ResponsePlan> list_notes(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  return ResponsePlan{
      revision_key(context) + asked.key,
      [&context, asked](schema::JsonWriter& json) -> Expected<void> {
        BENCHHUD_ASSIGN(const auto notes,
                        trace::trace_notes(context.reader().connection(), asked.info.content));
        json.begin_object();
        json.key("items");
        json.list(notes, [&](const TraceNote& note) { write_note(json, note, asked.info.origin); });
        json.end_object();
        return {};
      }};
}

// The trace that a change is about.
Expected<trace::TraceInfo> changed_trace(ChangeContext& context) {
  const schema::TraceId id{context.query.integer("id")};
  BENCHHUD_ASSIGN(const auto data, trace::OpenTrace::open(context.store, id));
  auto info = trace::TraceQueries(data.database(), data.number()).info();
  BENCHHUD_ASSIGN(const bool may_see,
                  trace::may_see_trace(context.store, id, context.token_id, context.now));
  if (!info || !may_see) context.wrong_parameter = "id";
  if (info && !may_see) return no_trace(id);
  return info;
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
  BENCHHUD_ASSIGN(const trace::TraceInfo info, changed_trace(context));
  TraceNote note;
  BENCHHUD_ASSIGN(note.begin, number_of<std::int64_t>(context, "begin"));
  BENCHHUD_ASSIGN(note.end, number_of<std::int64_t>(context, "end"));
  note.begin = analysis::sum_of(note.begin, info.origin);
  note.end = analysis::sum_of(note.end, info.origin);
  if (!context.body.text("thread").empty()) {
    BENCHHUD_ASSIGN(note.thread, number_of<std::uint32_t>(context, "thread"));
  }
  note.words = context.body.text("words");
  note.who = context.body.text("who");
  note.token = context.token;
  const auto put = trace::put_trace_note(context.store, info.content, note);
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
  BENCHHUD_ASSIGN(const trace::TraceInfo info, changed_trace(context));
  const auto done =
      trace::delete_trace_note(context.store, info.content, context.query.integer("note"));
  if (!done) {
    if (done.error().code == ErrorCode::kNotFound) context.wrong_parameter = "note";
    return done.error();
  }
  return address_of_notes(context);
}

constexpr std::array kRoutes = {NamedRoute{"listTraceNotes", list_notes}};
constexpr std::array kChanges = {NamedChange{"addTraceNote", add_note},
                                 NamedChange{"removeTraceNote", remove_note}};

}  // namespace

std::span<const NamedRoute> trace_note_routes() { return kRoutes; }
std::span<const NamedChange> trace_note_changes() { return kChanges; }

}  // namespace benchhud::server
