// tiles write STORE EVENTS: writes a made-up trace of slices into a new store.
// tiles write-all STORE EVENTS: the same, with arrows and counters.
// tiles sizes STORE: what the store's trace takes, by what it holds.
// tiles import STORE FILE…: reads trace files and puts them into a new store.
// tiles read STORE WINDOWS: tiles of random windows of the store's last trace, at all zooms.
// Each says as JSON what it took.
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ingest/trace/trace_reader.h"
#include "made_up_trace.h"
#include "random.h"
#include "schema/base/content_hash.h"
#include "schema/store/store.h"
#include "trace/trace_queries.h"
#include "trace/trace_store.h"
#include "trace/trace_tiles.h"

namespace benchhud::bench {

namespace {

using schema::Connection;
using schema::Expected;
using schema::TraceId;
using schema::Transaction;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Memory of the process's own, without pages of mapped files, which the system may take back.
double own_mb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  double kb = 0;
  while (status >> word) {
    if (word == "RssAnon:") status >> kb;
  }
  return kb / 1024;
}

std::int64_t number(Connection& connection, const std::string& sql) {
  schema::Statement query = connection.prepare(sql);
  return query.step() ? query.integer(0) : 0;
}

// Bytes of the store by what they hold; `pages`: of all of it, with what SQLite adds.
std::string sizes(Connection& connection) {
  const auto blobs = [&](const std::string& column, const std::string& table) {
    return number(connection, "SELECT sum(length(" + column + ")) FROM " + table);
  };
  return fmt::format(
      "\"slices\": {}, \"points\": {}, \"flows\": {}, \"bytes\": {{\"pages\": {}, \"slices\": {}, "
      "\"extras\": {}, \"nodes\": {}, \"groups\": {}, \"points\": {}, \"flows\": {}, "
      "\"arguments\": {}}}",
      number(connection, "SELECT sum(slice_count) FROM trace"),
      number(connection, "SELECT sum(point_count) FROM trace"),
      number(connection, "SELECT sum(flow_count) FROM trace"),
      number(connection, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
      blobs("slices", "trace_chunk"), blobs("extras", "trace_chunk"), blobs("nodes", "trace_chunk"),
      blobs("segments", "trace_group") + blobs("nodes", "trace_group"),
      blobs("bytes", "trace_block WHERE kind = 3"), blobs("bytes", "trace_block WHERE kind = 4"),
      blobs("bytes", "trace_block WHERE kind = 2"));
}

// Bytes of the pages that hold what is derived of traces: the index, counters, findings.
std::string index_size(Connection& connection) {
  return fmt::format(
      "\"index_pages\": {}",
      number(
          connection,
          "SELECT sum(pgsize) FROM dbstat AS page JOIN sqlite_schema AS of ON of.name = page.name "
          "WHERE of.tbl_name IN ('trace_index', 'trace_label_sums', 'trace_track', 'trace_sums', "
          "'trace_posting', 'trace_flow_kind', 'trace_counter', 'trace_counter_block', "
          "'trace_finding', 'trace_finding_block', 'trace_finding_kind', 'trace_device', "
          "'trace_device_block')"));
}

template <class Write>
Expected<void> write(const std::string& store, Write write_traces) {
  BENCHHUD_ASSIGN(Connection connection, schema::open_store(store));
  const double wall = wall_seconds(), cpu = cpu_seconds();
  {
    BENCHHUD_ASSIGN(Transaction transaction,
                    Transaction::begin(connection, Transaction::Kind::kWrite));
    BENCHHUD_TRY(write_traces(connection));
    BENCHHUD_TRY(transaction.commit());
  }
  fmt::print("{{\"wall_s\": {:.3f}, \"cpu_s\": {:.3f}, \"peak_mb\": {:.1f}, {}}}\n",
             wall_seconds() - wall, cpu_seconds() - cpu, peak_mb(), sizes(connection));
  return {};
}

Expected<void> import_files(Connection& connection, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    trace::PackedArgs args;
    auto trace = ingest::read_trace(file, &args);
    if (!trace) {
      fmt::print(stderr, "{}: {}\n", file, trace.error().message);
      continue;
    }
    const auto nesting = trace::nest(*trace, trace::NestingRows::kYes);
    BENCHHUD_TRY(
        trace::put_trace(connection, *trace, nesting, &args, schema::content_hash(file), 0));
  }
  return {};
}

struct Sample {
  double wall_ms, cpu_ms;
  std::size_t items;
};

std::string figures(std::vector<Sample> samples) {
  const auto quantile = [&](auto member, double share) {
    std::sort(samples.begin(), samples.end(),
              [&](const Sample& a, const Sample& b) { return a.*member < b.*member; });
    return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))].*
           member;
  };
  return fmt::format(
      "{{\"wall_ms\": [{:.3f}, {:.3f}, {:.3f}], \"cpu_ms\": [{:.3f}, {:.3f}, {:.3f}], "
      "\"items\": [{}, {}, {}]}}",
      quantile(&Sample::wall_ms, 0.5), quantile(&Sample::wall_ms, 0.99),
      quantile(&Sample::wall_ms, 1), quantile(&Sample::cpu_ms, 0.5),
      quantile(&Sample::cpu_ms, 0.99), quantile(&Sample::cpu_ms, 1), quantile(&Sample::items, 0.5),
      quantile(&Sample::items, 0.99), quantile(&Sample::items, 1));
}

Expected<void> read(const std::string& store, int windows) {
  BENCHHUD_ASSIGN(Connection connection, schema::open_store_for_reading(store));
  const auto trace = TraceId(number(connection, "SELECT max(id) FROM trace"));
  trace::TraceQueries lookup(connection, trace);
  BENCHHUD_ASSIGN(const auto threads, lookup.threads());
  std::map<std::string, std::vector<Sample>> samples;  // median, p99, greatest
  Random random(1, 2);
  for (int i = 0; i < windows; ++i) {
    const auto& thread = threads[random.bits() % threads.size()];
    if (!thread.begin) continue;
    const auto span = static_cast<double>(*thread.end - *thread.begin + 1);
    // As often twice as wide as not, from the whole to a microsecond.
    const double zoom = static_cast<double>(random.bits() % 1'000'000) / 1e6;
    const double width = std::max(1000.0, span * std::pow(1000.0 / span, zoom));
    const double at = static_cast<double>(random.bits() % 1'000'000) / 1e6 * (span - width);
    trace::TileQuery query{.thread = thread.number};
    query.begin = *thread.begin + static_cast<std::int64_t>(at);
    query.end = query.begin + static_cast<std::int64_t>(width);
    const double wall = wall_seconds(), cpu = cpu_seconds();
    BENCHHUD_ASSIGN(const trace::Tile tile, trace::TileReader(connection, trace).tile(query));
    Sample sample{(wall_seconds() - wall) * 1e3, (cpu_seconds() - cpu) * 1e3, 0};
    for (const auto& row : tile.rows) sample.items += row.items.size();
    samples["all"].push_back(sample);
    samples[thread.rows == 1 ? "one_row" : "six_rows"].push_back(sample);
    samples[fmt::format("zoom_{:02}", static_cast<int>(zoom * 10))].push_back(sample);
  }
  std::string text;
  for (auto& [name, of] : samples) {
    text += fmt::format("\"{}\": {}, ", name, figures(std::move(of)));
  }
  fmt::print("{{{}\"own_mb\": {:.1f}, \"peak_mb\": {:.1f}}}\n", text, own_mb(), peak_mb());
  return {};
}

Expected<void> run(const std::vector<std::string>& words) {
  if (words.size() == 3 && (words[0] == "write" || words[0] == "write-all")) {
    return write(words[1], [&](Connection& connection) -> Expected<void> {
      BENCHHUD_TRY(
          write_made_up_trace(connection, std::stoull(words[2]),
                              words[0] == "write" ? MadeUpEvents::kSlices : MadeUpEvents::kAll));
      return {};
    });
  }
  if (words.size() == 2 && words[0] == "sizes") {
    BENCHHUD_ASSIGN(Connection connection, schema::open_store_for_reading(words[1]));
    fmt::print("{{{}, {}}}\n", sizes(connection), index_size(connection));
    return {};
  }
  if (words.size() > 2 && words[0] == "import") {
    return write(words[1], [&](Connection& connection) {
      return import_files(connection, {words.begin() + 2, words.end()});
    });
  }
  if (words.size() == 3 && words[0] == "read") return read(words[1], std::stoi(words[2]));
  return schema::Error{schema::ErrorCode::kInvalidArgument,
                       "usage: tiles write|write-all STORE EVENTS | import STORE FILE… | "
                       "read STORE WINDOWS | sizes STORE"};
}

}  // namespace

}  // namespace benchhud::bench

int main(int count, char** arguments) {
  const auto done = benchhud::bench::run({arguments + 1, arguments + count});
  if (done) return 0;
  fmt::print(stderr, "tiles: {}\n", done.error().message);
  return 1;
}
