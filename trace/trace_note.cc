#include "trace/trace_note.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text_limits.h"
#include "schema/base/time.h"
#include "schema/db/audit_note.h"
#include "schema/db/rows.h"
#include "schema/results/results.h"
#include "trace/queries.h"

namespace benchhud::trace {
namespace {

TraceNote read_note(const schema::Statement& row) {
  TraceNote note;
  note.id = row.integer(0);
  note.begin = row.integer(1);
  note.end = row.integer(2);
  if (const auto thread = row.optional_integer(3)) {
    note.thread = static_cast<std::uint32_t>(*thread);
  }
  note.words = row.text(4);
  note.who = row.text(5);
  note.at = row.real(6);
  note.token = row.optional_text(7);
  return note;
}

schema::Expected<void> check(const TraceNote& note) {
  if (note.end < note.begin) {
    return schema::Error{schema::ErrorCode::kInvalidArgument, "A note ends after it begins."};
  }
  if (note.words.empty())
    return schema::Error{schema::ErrorCode::kInvalidArgument, "A note says something."};
  BENCHHUD_TRY(schema::check_length("the note", note.words, schema::kMostLineBytes));
  return schema::check_length("the name of who notes it", note.who, schema::kMostLineBytes);
}

// Pages that are open renew themselves, and the audit tells what was done.
schema::Expected<void> tell(schema::Connection& connection, std::string_view action,
                            const schema::ContentHash& content, const TraceNote& told) {
  std::string detail = fmt::format("{} [{}, {}]", content.hex(), told.begin, told.end);
  if (!told.who.empty()) detail += fmt::format(" by {}", told.who);
  BENCHHUD_TRY(note(connection, action, fmt::format("{}: {}", detail, told.words)));
  BENCHHUD_TRY(next_revision(connection));
  return {};
}

}  // namespace

schema::Expected<std::vector<TraceNote>> trace_notes(schema::Connection& connection,
                                                     const schema::ContentHash& content) {
  schema::Statement query = connection.cached(sql::kNotesOfTrace);
  query.bind_blob_view(1, content.view());
  return collect(query, read_note);
}

schema::Expected<std::int64_t> put_trace_note(schema::Connection& connection,
                                              const schema::ContentHash& content,
                                              const TraceNote& put) {
  BENCHHUD_TRY(check(put));
  BENCHHUD_ASSIGN(schema::Transaction transaction,
                  schema::Transaction::begin(connection, schema::Transaction::Kind::kWrite));
  BENCHHUD_ASSIGN(const auto notes, trace_notes(connection, content));
  if (notes.size() >= kMostTraceNotes) {
    return schema::Error{
        schema::ErrorCode::kConflict,
        fmt::format("The trace has {} notes, which is the most.", kMostTraceNotes)};
  }
  schema::Statement insert = connection.cached(sql::kInsertTraceNote);
  insert.bind_blob_view(1, content.view()).bind(2, put.begin).bind(3, put.end);
  insert.bind(4, put.thread ? std::optional<std::int64_t>(*put.thread) : std::nullopt)
      .bind_text_view(5, put.words)
      .bind_text_view(6, put.who)
      .bind(7, schema::now())
      .bind(8, put.token);
  BENCHHUD_TRY(insert.run());
  const std::int64_t id = connection.last_insert_id();
  BENCHHUD_TRY(tell(connection, "note of a trace", content, put));
  BENCHHUD_TRY(transaction.commit());
  return id;
}

schema::Expected<void> delete_trace_note(schema::Connection& connection,
                                         const schema::ContentHash& content, std::int64_t id) {
  BENCHHUD_ASSIGN(schema::Transaction transaction,
                  schema::Transaction::begin(connection, schema::Transaction::Kind::kWrite));
  BENCHHUD_ASSIGN(const auto notes, trace_notes(connection, content));
  const auto found = std::find_if(notes.begin(), notes.end(),
                                  [&](const TraceNote& each) { return each.id == id; });
  if (found == notes.end()) {
    return schema::Error{schema::ErrorCode::kNotFound, fmt::format("the trace has no note {}", id)};
  }
  BENCHHUD_TRY(connection.cached(sql::kDeleteTraceNote).bind(1, id).run());
  BENCHHUD_TRY(tell(connection, "note of a trace withdrawn", content, *found));
  return transaction.commit();
}

}  // namespace benchhud::trace
