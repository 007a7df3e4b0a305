// Any text as SQL over a trace: it is refused with words, or answers no more than it may; it ends,
// and the store stays as it is.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/store/migrate.h"
#include "small_trace.h"
#include "trace/answers/trace_sql.h"

namespace {

namespace schema = benchhud::schema;
namespace trace = benchhud::trace;
using benchhud::fuzz::require;

constexpr std::size_t kRows = 50, kTextBytes = std::size_t{1} << 16;

schema::Connection small_store() {
  auto connection = schema::Connection::open(":memory:", schema::OpenMode::kReadWriteCreate);
  require(connection && schema::migrate(*connection));
  benchhud::fuzz::put_small_trace(*connection);
  return std::move(*connection);
}

std::int64_t tables_and_traces(schema::Connection& store) {
  schema::Statement query =
      store.prepare("SELECT (SELECT count(*) FROM sqlite_schema) * 1000 + count(*) FROM trace");
  require(query.step());
  return query.integer(0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static schema::Connection store = small_store();
  static const std::int64_t before = tables_and_traces(store);
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  auto query = trace::TraceSql::prepare(store, schema::TraceId(1), sql,
                                        [](const auto&) { return std::string_view("class"); });
  if (!query) {
    require(!query.error().message.empty());
    require(query.error().code == schema::ErrorCode::kInvalidArgument ||
            query.error().code == schema::ErrorCode::kTooLarge);
    return 0;
  }
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  std::size_t rows = 0, bytes = 0;
  const auto outcome =
      query->run({.rows = kRows, .text_bytes = kTextBytes, .time = std::chrono::milliseconds(100)},
                 [&](const std::vector<trace::SqlValue>& row) {
                   require(row.size() == query->columns().size());
                   for (const auto& value : row) {
                     const auto* text = std::get_if<std::string>(&value);
                     if (text != nullptr) bytes += text->size();
                   }
                   ++rows;
                   return true;
                 });
  require(rows == outcome.rows && rows <= kRows && bytes <= kTextBytes);
  // Many times what it may: sanitizers slow it down, and so do others on the machine.
  require(Clock::now() - began < std::chrono::seconds(10));
  require(tables_and_traces(store) == before);
  return 0;
}
