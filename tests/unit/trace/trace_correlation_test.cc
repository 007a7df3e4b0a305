// The slice that shares a correlation, within bounds.

#include "trace/answers/trace_correlation.h"

#include <gtest/gtest.h>

#include "tests/unit/trace/trace_samples.h"

namespace benchhud::trace {
namespace {

class Correlations : public testing::Test {
 protected:
  // A call on each of three threads, with the number of its thread.
  void keep(bool is_of_one_process) {
    Trace trace;
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      add_slice(&trace, thread, 10 * thread, 10 * thread + 5, "call");
      TraceArgs args;
      args.correlation = thread;
      trace.slices.back().args = trace.args.put(args);
    }
    for (TraceThread& thread : trace.threads) thread.pid = is_of_one_process ? "1" : thread.tid;
    id_ = put(connection_, trace);
  }
  Correlated find(std::int64_t correlation, std::size_t most_chunks, std::size_t most_threads) {
    const auto index = TraceIndex::open(connection_, id_);
    EXPECT_TRUE(index && *index);
    CorrelationQuery query;
    query.correlation = correlation;
    query.before = 100;
    query.most_chunks = most_chunks;
    query.most_threads = most_threads;
    const auto info = TraceQueries(connection_, id_).info();
    for (std::int64_t i = 0; i < info->labels; ++i) {
      query.labels.insert(static_cast<std::uint32_t>(i));
    }
    const auto found = find_correlated(connection_, id_, **index, query);
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }

  schema::Connection connection_ = trace_store();
  schema::TraceId id_{};
};

TEST_F(Correlations, OfOneProcessTheFirstThatIsFoundIsTaken) {
  keep(true);
  const Correlated latest = find(2, 1, 1000);
  ASSERT_TRUE(latest.slice);
  EXPECT_EQ(latest.slice->id.thread, 2u);
  EXPECT_TRUE(latest.is_complete);
  const Correlated beyond = find(0, 2, 1000);
  EXPECT_FALSE(beyond.slice || beyond.is_complete) << "the latest two chunks are read";
  EXPECT_TRUE(find(0, 3, 1000).slice);
  EXPECT_TRUE(find(0, 64, 2).slice);
  EXPECT_FALSE(find(2, 64, 2).is_complete) << "two threads are looked at";
}

TEST_F(Correlations, OfSeveralProcessesNoneIsTakenUnlessAllWereLookedAt) {
  keep(false);
  const Correlated part = find(2, 1, 1000);
  EXPECT_FALSE(part.slice || part.is_complete);
  EXPECT_FALSE(find(0, 64, 1).slice) << "the others are of other processes";
  EXPECT_TRUE(find(2, 3, 1000).slice);
  const Correlated none = find(7, 3, 1000);
  EXPECT_FALSE(none.slice);
  EXPECT_TRUE(none.is_complete);
}

}  // namespace
}  // namespace benchhud::trace
