#include "server/api/cache_prefetcher.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "schema/base/caught_error.h"
#include "schema/store/store.h"
#include "service/maintenance/trace_moves.h"
#include "service/traces/trace_digest.h"
#include "trace/pack/trace_move.h"
#include "trace/trace_index.h"

namespace benchhud::server {
namespace {

constexpr std::chrono::milliseconds kGlance{250};
constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::int64_t kMostMoved = 100;  // what is more is for `benchhud traces move`

}  // namespace

CachePrefetcher::CachePrefetcher(App& app, std::string store_path)
    : app_(app), store_path_(std::move(store_path)), thread_([this] { work(); }) {}

CachePrefetcher::~CachePrefetcher() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool CachePrefetcher::sleep() {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, kGlance, [this] { return stopping_; });
}

bool CachePrefetcher::index_traces() {
  // People use the store: it is not the time to migrate it, nor to wait long for its lock.
  auto store = schema::open_store_for_writing(store_path_, kPatience);
  if (!store) return store.error().code != schema::ErrorCode::kBusy;
  const auto go_on = [this] {
    const std::scoped_lock lock(mutex_);
    return !stopping_;
  };
  const auto is_busy = [](const auto& done) {
    return !done && done.error().code == schema::ErrorCode::kBusy;
  };
  // Any other failure is said to who asks for it: the trace has no index, or no report.
  return !is_busy(trace::index_traces(*store, trace::ReindexScope::kStale, go_on)) &&
         !is_busy(trace::index_moved_traces(*store, trace::ReindexScope::kStale, go_on)) &&
         !is_busy(service::renew_digests(*store, service::Digests::kOutdated, go_on)) &&
         !is_busy(service::move_rest_out(*store, nullptr, kMostMoved, go_on));
}

void CachePrefetcher::work() {
  std::optional<schema::Connection> connection;
  std::optional<std::int64_t> seen;
  const auto read_version = [&]() -> schema::Expected<std::int64_t> {
    if (!connection) {
      BENCHHUD_ASSIGN(connection, schema::open_store_for_reading(store_path_));
    }
    return connection->data_version();
  };
  const auto version = [&]() -> std::optional<std::int64_t> {
    // Nothing that is thrown leaves the thread.
    const auto number = schema::caught(read_version);
    if (number) return *number;
    connection.reset();
    return {};
  };
  bool is_indexed = false;  // as far as it can be
  do {
    const auto now = version();
    if (!now || now == seen) continue;
    seen = now;
    app_.warm([&] {
      const std::scoped_lock lock(mutex_);
      // After another change the newest run is made ready first, again.
      return !stopping_ && version() == seen;
    });
    // What an older program took in is indexed once, behind what people wait for.
    try {
      if (!is_indexed) is_indexed = index_traces();
    } catch (const std::exception&) {
      is_indexed = true;  // there is no memory for it: whoever asks for the trace is told so
    }
  } while (sleep());
}

}  // namespace benchhud::server
