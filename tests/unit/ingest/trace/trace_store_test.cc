// Real traces: all of what is read of a file goes into the store and comes out of it.

#include "trace/trace_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ingest/trace/trace_reader.h"
#include "ingest/xplane/xplane_trace.h"
#include "tests/unit/places.h"
#include "tests/unit/trace/trace_samples.h"
#include "trace/trace_queries.h"
#include "trace/trace_tiles.h"
#include "trace/xla_profile_store.h"

namespace benchhud::schema {
namespace {

std::vector<std::string> trace_files() {
  const std::filesystem::path folder = shared_folder() / "data/traces";
  std::vector<std::string> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".json") || name.ends_with(".json.gz")) files.push_back(entry.path());
  }
  return files;
}

TEST(StoredRealTraces, AreWhatWasRead) {
  const std::vector<std::string> files = trace_files();
  if (files.empty()) GTEST_SKIP() << "the real traces (shared/data/traces) are not here";
  int read_count = 0, with_arguments = 0;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    trace::PackedArgs args;
    const auto trace = ingest::read_trace(file, &args);
    if (!trace) continue;  // reference numbers and counters
    ++read_count;
    Connection connection = trace::trace_store();
    const TraceId id = trace::put(connection, *trace, &args);
    const auto stored = trace::read_trace(connection, id);
    ASSERT_TRUE(stored) << stored.error().message;
    trace::expect_same(*trace, *stored);

    // Tiles count every slice, and one that they show has its arguments.
    trace::TraceQueries lookup(connection, id);
    const auto threads = lookup.threads();
    ASSERT_TRUE(threads);
    std::uint64_t count = 0;
    for (const trace::StoredThread& thread : *threads) {
      if (!thread.begin) continue;
      const auto tile =
          trace::TileReader(connection, id)
              .tile({.thread = thread.number, .begin = *thread.begin, .end = *thread.end + 1});
      ASSERT_TRUE(tile) << tile.error().message;
      // What is asynchronous are points in the file.
      if (!thread.is_async) count += tile->count;
      for (const trace::TileRow& row : tile->rows) {
        const auto details = lookup.details(row.items.front().slice);
        ASSERT_TRUE(details) << details.error().message;
        EXPECT_EQ(details->placed.slice.begin, row.items.front().begin);
        if (details->arguments) {
          ++with_arguments;
          EXPECT_EQ(details->arguments->front(), '{');
          EXPECT_EQ(details->arguments->back(), '}');
        }
      }
    }
    EXPECT_EQ(count, trace->slices.size());
  }
  EXPECT_GT(read_count, 20);
  EXPECT_GT(with_arguments, 100);
}

TEST(StoredRealXplane, IsWhatWasRead) {
  const std::filesystem::path folder = shared_folder() / "data/xplane";
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "the real profiles (shared/data/xplane) are not here";
  }
  int read_count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".pb") continue;
    SCOPED_TRACE(entry.path());
    trace::PackedArgs args;
    const auto trace = ingest::read_xplane_file(entry.path(), &args);
    if (!trace) continue;  // the damaged one
    ++read_count;
    Connection connection = trace::trace_store();
    const TraceId id = trace::put(connection, *trace, &args);
    const auto stored = trace::read_trace(connection, id);
    ASSERT_TRUE(stored) << stored.error().message;
    trace::expect_same(*trace, *stored);
    ASSERT_TRUE(stored->xla);
    EXPECT_EQ(trace::encode_xla_profile(*stored->xla), trace::encode_xla_profile(*trace->xla));
    const auto alone = trace::read_xla_profile(connection, id);
    ASSERT_TRUE(alone && *alone);
    EXPECT_EQ((*alone)->operators.size(), trace->xla->operators.size());
  }
  EXPECT_EQ(read_count, 6);
}

}  // namespace
}  // namespace benchhud::schema
