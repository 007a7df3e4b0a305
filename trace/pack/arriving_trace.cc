#include "trace/pack/arriving_trace.h"

#include <fmt/format.h>

#include "schema/base/time.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_store.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Expected;
using schema::TraceId;
using schema::Transaction;

Expected<ArrivingTrace> note_arrival(Connection& store, TraceId trace) {
  ArrivingTrace arriving{.trace = trace, .key = {}};
  {
    schema::Statement hide = store.cached(sql::kHideContent);
    hide.bind(1, trace);
    if (hide.step()) arriving.key = hide.blob(0);
    BENCHHUD_TRY(hide.status());
  }
  if (arriving.key.empty()) {
    return schema::Error{schema::ErrorCode::kNotFound,
                         fmt::format("there is no trace {}", schema::to_int(trace))};
  }
  BENCHHUD_TRY(store.cached(sql::kInsertArrivingTrace).bind(1, trace).bind(2, schema::now()).run());
  return arriving;
}

Expected<bool> is_arriving(Connection& store, const ArrivingTrace& arriving) {
  schema::Statement query = store.cached(sql::kIsArriving);
  query.bind(1, arriving.trace).bind_blob(2, arriving.key);
  const bool is_there = query.step();
  BENCHHUD_TRY(query.status());
  return is_there;
}

Expected<bool> end_arrival(Connection& store, const ArrivingTrace& arriving) {
  BENCHHUD_ASSIGN(const bool is_there, is_arriving(store, arriving));
  if (is_there) {
    BENCHHUD_TRY(store.cached(sql::kDeleteArrivingTrace).bind(1, arriving.trace).run());
  }
  return is_there;
}

Expected<bool> is_coming_in(Connection& store, TraceId trace) {
  schema::Statement query = store.cached(sql::kIsComingIn);
  query.bind(1, trace);
  const bool is_there = query.step();
  BENCHHUD_TRY(query.status());
  return is_there;
}

Expected<void> remove_arrival(Connection& store, const ArrivingTrace& arriving) {
  BENCHHUD_ASSIGN(auto transaction, Transaction::begin(store, Transaction::Kind::kWrite));
  BENCHHUD_ASSIGN(const bool is_there, is_arriving(store, arriving));
  if (!is_there) return {};
  BENCHHUD_TRY(delete_trace(store, arriving.trace));
  return transaction.commit();
}

Expected<std::vector<TraceId>> abandoned_arrivals(Connection& store) {
  schema::Statement query = store.cached(sql::kAbandonedTraces);
  query.bind(1, schema::now() - kLongestArrival);
  return collect(query, [](const schema::Statement& row) { return TraceId(row.integer(0)); });
}

Expected<void> remove_abandoned_arrivals(Connection& store, const std::function<bool()>& goes_on) {
  while (goes_on()) {
    BENCHHUD_ASSIGN(auto transaction, Transaction::begin(store, Transaction::Kind::kWrite));
    BENCHHUD_ASSIGN(const auto abandoned, abandoned_arrivals(store));
    if (abandoned.empty()) return {};
    BENCHHUD_TRY(delete_trace(store, abandoned.front()));
    BENCHHUD_TRY(transaction.commit());
  }
  return {};
}

}  // namespace benchhud::trace
