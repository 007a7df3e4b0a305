// What people noted of parts of traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::trace {

/// Notes that a trace can have.
inline constexpr std::size_t kMostTraceNotes = 1000;

struct TraceNote {
  std::int64_t id = 0;                  ///< given when it is put
  std::int64_t begin = 0, end = 0;      ///< ns on the trace's own clock
  std::optional<std::uint32_t> thread;  ///< none: all of them
  std::string words, who;
  double at = 0;                       ///< seconds since 1970; given when it is put
  std::optional<std::string> token{};  ///< name of the token that was shown; none: the command line
};

/// Those of a trace with this content, by beginning.
schema::Expected<std::vector<TraceNote>> trace_notes(schema::Connection& connection,
                                                     const schema::ContentHash& content);

/// Keeps a note, in a transaction of its own, with a line in the audit. Returns its id. Errors:
/// kInvalidArgument (it ends before it begins, or says nothing), kTooLarge, kConflict where the
/// trace has kMostTraceNotes.
schema::Expected<std::int64_t> put_trace_note(schema::Connection& connection,
                                              const schema::ContentHash& content,
                                              const TraceNote& note);

/// Takes a note away, with a line in the audit that has its words. Error: kNotFound where the trace
/// has none with this id.
schema::Expected<void> delete_trace_note(schema::Connection& connection,
                                         const schema::ContentHash& content, std::int64_t id);

}  // namespace benchhud::trace
