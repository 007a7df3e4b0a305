// Traces that somebody dropped: who may see them, and until when.

#include "trace/dropped_trace.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/trace/trace_samples.h"

namespace benchhud::trace {
namespace {

constexpr std::int64_t kAda = 1, kBob = 2;

class Dropped : public testing::Test {
 protected:
  Dropped() : connection_(trace_store()) {
    Trace trace;
    add_slice(&trace, 0, 0, 10);
    id_ = put(connection_, trace);
    EXPECT_TRUE(connection_.execute(
        "INSERT INTO access_token (id, name, hash, scopes, created_at) VALUES "
        "(1, 'ada', randomblob(32), 'triage', 0), (2, 'bob', randomblob(32), 'triage', 0)"));
  }

  void drop(std::int64_t token, double until) {
    ASSERT_TRUE(put_dropped_trace(
        connection_, {.trace = id_, .name = "a.json", .at = 100, .until = until}, token, "digest"));
  }
  bool may_see(TokenId token, double now = 150) {
    const auto may = may_see_trace(connection_, id_, token, now);
    EXPECT_TRUE(may) << may.error().message;
    return *may;
  }
  bool is_there() {
    schema::Statement query = connection_.prepare("SELECT count(*) FROM trace");
    EXPECT_TRUE(query.step());
    return query.integer(0) == 1;
  }
  void make_dump() {
    ASSERT_TRUE(connection_.execute(
        "INSERT INTO artifact (kind, name, path, base, model, part, content_hash, byte_count, "
        "ingested_at, problem_count, trace_id) "
        "VALUES ('trace', 'n', 'p', '', '', '', zeroblob(16), 1, 0, 0, 1)"));
  }

  schema::Connection connection_;
  schema::TraceId id_{};
};

TEST_F(Dropped, WhatNobodyDroppedIsSeenByAll) {
  EXPECT_TRUE(may_see(std::nullopt));
  EXPECT_TRUE(may_see(kAda));
}

TEST_F(Dropped, IsSeenByItsTokenAloneAndNotBeyondItsTime) {
  drop(kAda, 200);
  EXPECT_TRUE(may_see(kAda));
  EXPECT_FALSE(may_see(kBob));
  EXPECT_FALSE(may_see(std::nullopt));
  EXPECT_FALSE(may_see(kAda, 200));
  ASSERT_EQ(dropped_traces(connection_, kAda, 150)->size(), 1u);
  EXPECT_EQ(dropped_traces(connection_, kAda, 150)->front().name, "a.json");
  EXPECT_TRUE(dropped_traces(connection_, kAda, 200)->empty());
  EXPECT_TRUE(dropped_traces(connection_, kBob, 150)->empty());
  EXPECT_EQ(*dropped_digest(connection_, id_, kAda, 150), "digest");
  EXPECT_EQ(*dropped_digest(connection_, id_, kBob, 150), std::nullopt);
}

TEST_F(Dropped, IsRemovedWhenItsTimeIsOver) {
  drop(kAda, 200);
  EXPECT_FALSE(*has_expired_traces(connection_, 199));
  EXPECT_EQ(*remove_expired_traces(connection_, 199, 10), 0);
  EXPECT_TRUE(is_there());
  EXPECT_TRUE(*has_expired_traces(connection_, 200));
  EXPECT_EQ(*remove_expired_traces(connection_, 200, 10), 1);
  EXPECT_FALSE(is_there());
}

TEST_F(Dropped, IsRemovedWhenItsTokenIsWithdrawn) {
  drop(kAda, 200);
  ASSERT_TRUE(connection_.execute("UPDATE access_token SET withdrawn_at = 1 WHERE id = 1"));
  EXPECT_EQ(*remove_expired_traces(connection_, 0, 10), 1);
  EXPECT_FALSE(is_there());
}

TEST_F(Dropped, OfTwoEachHasItsOwnTime) {
  drop(kAda, 200);
  drop(kBob, 300);
  EXPECT_EQ(dropped_sum(connection_, kBob, 150, schema::TraceId{9})->count, 1);
  EXPECT_EQ(dropped_sum(connection_, kBob, 150, id_)->count, 0) << "it is not counted twice";
  EXPECT_EQ(*remove_expired_traces(connection_, 250, 10), 1);
  EXPECT_TRUE(is_there());
  EXPECT_FALSE(may_see(kAda, 250));
  EXPECT_TRUE(may_see(kBob, 250));
  EXPECT_EQ(remove_dropped_trace(connection_, id_, kAda).error().code,
            schema::ErrorCode::kNotFound);
  ASSERT_TRUE(remove_dropped_trace(connection_, id_, kBob));
  EXPECT_FALSE(is_there());
}

TEST_F(Dropped, WhatADumpIsOfIsSeenByAllAndStays) {
  drop(kAda, 200);
  make_dump();
  EXPECT_TRUE(may_see(std::nullopt));
  EXPECT_EQ(*remove_expired_traces(connection_, 200, 10), 1);
  EXPECT_TRUE(is_there());
}

TEST_F(Dropped, IsNoUnusedTrace) {
  drop(kAda, 200);
  EXPECT_EQ(*delete_unused_traces(connection_), 0);
  EXPECT_TRUE(is_there());
}

}  // namespace
}  // namespace benchhud::trace
