// guard: does the work that tests/bench/guard.mjs counts, under valgrind's callgrind.
//
// Each part that is counted has a name. Callgrind writes its instructions to a file that carries
// the name; its SQL statements are printed, a line `NAME STATEMENTS` per part. Everything else
// (opening the store, ending threads) is not counted.
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/output/output_dir.h"
#include "ingest/pipeline/pipeline.h"
#include "schema/store/store.h"
#include "server/api/app.h"
#include "server/routes/route_tables.h"
#include "service/alerts/alert_update.h"
#include "service/imports/importer.h"
#include "tests/statement_count.h"

/// The time of day stands still, in place of the C library's: stores then hold the same digits in
/// every run. How long something takes and waits is measured as ever.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  constexpr std::time_t kTime = 1764547200;  // 2025-12-01
  if (clock != CLOCK_REALTIME) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  *time = {kTime, 0};
  return 0;
}

namespace benchhud::bench {
namespace {

using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using Words = std::vector<std::string>;

/// Counts what `work` does, on all threads, as the part of this name: so many times, of which the
/// mean is taken.
Expected<void> count(const std::string& name, const std::function<Expected<void>()>& work,
                     int times = 1) {
  take_statement_count();
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  Expected<void> done;
  for (int i = 0; i < times && done; ++i) done = work();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
  fmt::print("{} {} {}\n", name, take_statement_count(), times);
  return done;
}

server::AppOptions app_options(const std::string& store) {
  server::AppOptions options;
  options.store_path = store;
  options.version = "0";
  options.instance = "0";
  return options;
}

/// A fast answer that says that there is none would be no success.
Expected<void> ask(server::App& app, const std::string& address) {
  const server::Response response = app.handle({"GET", address, "", ""});
  if (response.status == 200 && !response.body->empty()) return {};
  return Error{ErrorCode::kInternal,
               fmt::format("{} {}: {}", response.status, address, *response.body)};
}

Expected<void> start_server(const std::string& store) {
  std::optional<server::App> app;
  return count("start", [&]() -> Expected<void> {
    BENCHHUD_TRY(schema::open_store(store));
    app.emplace(app_options(store), server::all_routes(),
                std::span<const server::StaticFiles::File>());
    return ask(*app, "/api/v1/health");
  });
}

/// Asks everything in order, of a server that has just started, and then again. A repeated answer
/// takes so few instructions that one list which malloc() tidies while it is made is a fourteenth
/// of them: each is asked several times.
Expected<void> ask_again(const std::string& store, const Words& addresses) {
  constexpr int kTimes = 16;
  server::App app(app_options(store), server::all_routes(), {});
  for (const auto& [when, times] : {std::pair("first", 1), std::pair("repeated", kTimes)}) {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      BENCHHUD_TRY(
          count(fmt::format("{}_{}", when, i), [&] { return ask(app, addresses[i]); }, times));
    }
  }
  return {};
}

/// Takes files into the store, then watches the nights that are new.
Expected<void> ingest_night(const std::string& path, const Words& files) {
  BENCHHUD_ASSIGN(Connection store, schema::open_store(path));
  BENCHHUD_ASSIGN(const ingest::Inputs inputs, ingest::find_inputs(files));
  BENCHHUD_TRY(count("ingest", [&]() -> Expected<void> {
    BENCHHUD_ASSIGN(const ingest::IngestResult result, service::import_files(store, inputs, {}));
    const std::int64_t wrong =
        result.rejected + result.unreadable_dumps + result.orphaned_dumps + result.known_dumps;
    if (wrong == 0 && result.accepted + result.new_dumps > 0) return {};
    return Error{ErrorCode::kInternal, "the files are not what was to be counted"};
  }));
  return count("alerts", [&]() -> Expected<void> {
    BENCHHUD_TRY(service::update_alerts(store));
    return {};
  });
}

Expected<void> run(const Words& words) {
  if (words.size() < 2) {
    return Error{ErrorCode::kInvalidArgument,
                 "usage: guard start STORE | ask STORE ADDRESS… | ingest STORE FILE…"};
  }
  const std::string &what = words[0], &store = words[1];
  const Words rest(words.begin() + 2, words.end());
  BENCHHUD_TRY(schema::open_store(store));
  count_statements(CountedBy::kNothing);
  if (what == "start") return start_server(store);
  if (what == "ask") return ask_again(store, rest);
  if (what == "ingest") return ingest_night(store, rest);
  return Error{ErrorCode::kInvalidArgument, "guard does not know " + what};
}

}  // namespace
}  // namespace benchhud::bench

int main(int count, char** arguments) {
  const auto done = benchhud::bench::run({arguments + 1, arguments + count});
  if (done) return 0;
  fmt::print(stderr, "guard: {}\n", done.error().message);
  return 1;
}
