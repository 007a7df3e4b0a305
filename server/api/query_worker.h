// The process that answers one SQL query over a trace, and what it and the server say to each
// other, over one socket, the process's standard input:
//
//     request: "TRACE ROWS PARENT\n" (decimal), the store's path, the key and the file of the
//              trace's pack ("" of one that is in the store), the rules of classes, each with NUL
//              behind it; the SQL; then the end
//     reply:   lines, each a letter and what follows it to the line's end
//              C  the columns' names, a JSON array: the statement is prepared
//              R  a row, a JSON array; any number of them
//              E  the last members of the answer's JSON object: it is whole
//              X  in place of all others: the number of a schema::ErrorCode; the lines behind it
//                 are the message
//
// A reply that ends otherwise is that of a process that was ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "trace/pack/open_trace.h"

namespace benchhud::server {

/// The command of `benchhud` that calls run_query_worker(). It is no command for people.
inline constexpr std::string_view kQueryWorkerCommand = "query-worker";

/// How long a query may take, from the start of its process.
inline constexpr std::chrono::milliseconds kQueryTime{5000};
/// When the process is ended that has not ended by itself: inside one step SQLite does not look at
/// the time.
inline constexpr std::chrono::milliseconds kQueryMostTime{5300};
/// Memory of its own that the process may take, all of it: the rest of 64 MB is for what the
/// server holds of the answer.
inline constexpr std::size_t kQueryMemoryBytes = std::size_t{48} << 20;
/// Of the rows' JSON.
inline constexpr std::size_t kMostReplyBytes = std::size_t{4} << 20;

struct QueryRequest {
  std::string store_path;
  trace::CheckedTrace trace;
  std::size_t rows = 0;  ///< that are given at most
  std::string sql;
};

/// The request's bytes, from this process.
std::string request_text(const QueryRequest& request);

/// Answers the query that standard input brings, over it, within limits that the system enforces:
/// memory, processor time, the size of files, and the time by the clock; at the lowest priority. It
/// ends with the thread that began it. Returns the exit status.
int run_query_worker();

}  // namespace benchhud::server
