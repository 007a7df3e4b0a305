// SQL over a trace in processes of their own, one per query, so that neither the memory nor the
// time that a query takes is the server's (query_worker.h is the other side).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "server/http/message.h"
#include "trace/pack/open_trace.h"

namespace benchhud::server {

struct QueryOptions {
  /// The program that answers a query, and its arguments: one whose main() calls
  /// run_query_worker(). Empty: queries are not answered.
  std::vector<std::string> command;
  /// Queries that run at once. As many more wait for their turn; each of both holds a thread.
  std::size_t at_once = 2;
  std::chrono::milliseconds patience{2000};  ///< how long a query waits for its turn
};

/// Threads may share it.
class QueryProcesses {
 public:
  QueryProcesses(std::string store_path, QueryOptions options)
      : store_path_(std::move(store_path)), options_(std::move(options)) {}

  /// The answer of one SELECT over the tables of a trace (schema::TraceSql), as JSON: `columns`,
  /// `rows` (`rows` of them at most), `is_cut`, `error`, `slices_read`. A query that is ended by
  /// its time or its memory is answered with the rows that it gave until then; the process is ended
  /// at the latest 5.3 s after it was begun, and within some 50 ms after `is_cancelled`.
  /// Errors: those of schema::TraceSql::prepare() and schema::open_store_for_reading(); kBusy where
  /// other queries run, where the process could not be started, limit itself or prepare the query
  /// in its time, and where it was cancelled; kInternal where it ended by a fault.
  schema::Expected<std::string> answer(const trace::CheckedTrace& trace, const std::string& sql,
                                       std::size_t rows, const IsCancelled& is_cancelled);

 private:
  /// The right to run a process, until it goes.
  class Turn;
  schema::Expected<void> take_turn(const IsCancelled& is_cancelled);
  void end_turn();

  const std::string store_path_;
  const QueryOptions options_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace benchhud::server
