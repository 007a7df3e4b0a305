// Traces that somebody dropped: who may see them, and until when.

#include "trace/dropped_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
  std::int64_t removed(double now) {
    // Each is removed in a transaction of its own.
    if (!committed_) {
      EXPECT_TRUE(connection_.execute("COMMIT"));
    }
    committed_ = true;
    const auto done = remove_expired_traces(connection_, now, [] { return true; });
    EXPECT_TRUE(done) << done.error().message;
    failures_ = done->failures;
    return done->removed;
  }
  std::int64_t notes() {
    schema::Statement query = connection_.prepare("SELECT count(*) FROM trace_note");
    EXPECT_TRUE(query.step());
    return query.integer(0);
  }
  void note() {
    ASSERT_TRUE(connection_.execute(
        "INSERT INTO trace_note (content_hash, begin_ns, end_ns, words, who, at) "
        "SELECT content_hash, 0, 1, 'seen', '', 0 FROM trace"));
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
  std::vector<std::string> failures_;
  bool committed_ = false;
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
  EXPECT_TRUE(expired_traces(connection_, 199)->empty());
  EXPECT_EQ(removed(199), 0);
  EXPECT_TRUE(is_there());
  EXPECT_EQ(expired_traces(connection_, 200)->size(), 1u);
  EXPECT_EQ(removed(200), 1);
  EXPECT_FALSE(is_there());
}

TEST_F(Dropped, IsRemovedWhenItsTokenIsWithdrawn) {
  drop(kAda, 200);
  ASSERT_TRUE(connection_.execute("UPDATE access_token SET withdrawn_at = 1 WHERE id = 1"));
  EXPECT_EQ(removed(0), 1);
  EXPECT_FALSE(is_there());
}

TEST_F(Dropped, OfTwoEachHasItsOwnTime) {
  drop(kAda, 200);
  drop(kBob, 300);
  EXPECT_EQ(dropped_sum(connection_, kBob, 150, schema::TraceId{9})->count, 1);
  EXPECT_EQ(dropped_sum(connection_, kBob, 150, id_)->count, 0) << "it is not counted twice";
  EXPECT_EQ(removed(250), 1);
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
  EXPECT_EQ(removed(200), 1);
  EXPECT_TRUE(is_there());
}

TEST_F(Dropped, OneThatCannotBeRemovedKeepsNoOther) {
  drop(kAda, 200);
  Trace other;
  add_slice(&other, 0, 0, 20);
  const schema::TraceId second = put(connection_, other, nullptr, "other");
  ASSERT_TRUE(put_dropped_trace(
      connection_, {.trace = second, .name = "b.json", .at = 100, .until = 300}, kAda, "digest"));
  ASSERT_TRUE(
      connection_.execute("CREATE TRIGGER harm BEFORE DELETE ON trace WHEN old.id = 1 BEGIN "
                          "SELECT raise(ABORT, 'harmed'); END"));
  ASSERT_EQ(expired_traces(connection_, 400)->front().trace, id_) << "what expired first";
  EXPECT_EQ(removed(400), 1);
  ASSERT_EQ(failures_.size(), 1u);
  EXPECT_NE(failures_.front().find("harmed"), std::string::npos) << failures_.front();
  EXPECT_EQ(expired_traces(connection_, 400)->size(), 1u) << "it is tried again";
}

TEST_F(Dropped, ItsNotesGoWithItUnlessADumpIsOfTheSameContent) {
  drop(kAda, 200);
  note();
  make_dump();
  ASSERT_TRUE(remove_dropped_trace(connection_, id_, kAda));
  EXPECT_EQ(notes(), 1);
  ASSERT_TRUE(connection_.execute("DELETE FROM artifact"));
  drop(kAda, 200);
  EXPECT_EQ(removed(200), 1);
  EXPECT_EQ(notes(), 0);
}

TEST_F(Dropped, OneThatIsADumpByNowIsListedAsShared) {
  drop(kAda, 200);
  EXPECT_TRUE(*is_only_dropped(connection_, id_));
  make_dump();
  EXPECT_FALSE(*is_only_dropped(connection_, id_));
  EXPECT_EQ(dropped_traces(connection_, kAda, 150)->front().until, 0);
}

TEST_F(Dropped, IsNoUnusedTrace) {
  drop(kAda, 200);
  EXPECT_EQ(*delete_unused_traces(connection_), 0);
  EXPECT_TRUE(is_there());
}

}  // namespace
}  // namespace benchhud::trace
