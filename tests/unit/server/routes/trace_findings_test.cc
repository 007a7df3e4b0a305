// What a trace's findings are answered with: all of a kind page by page, and what an older program
// left out.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "service/traces/trace_digest.h"
#include "tests/unit/server/store_fixture.h"
#include "trace/trace_finding.h"
#include "trace/trace_index.h"

namespace benchhud::server {
namespace {

using nlohmann::json;

class TraceFindings : public StoreFixture {
 protected:
  static constexpr std::int64_t kCount = 1500;

  /// A trace that synchronizes kCount times, each time longer than before, is taken in.
  void take_in() {
    const std::string file = (folder_ / "trace-made.json").string();
    std::string events;
    for (std::int64_t i = 0; i < kCount; ++i) {
      events += fmt::format(
          R"({}{{"ph":"X","pid":1,"tid":1,"cat":"cuda_runtime","name":"cudaStreamSynchronize","ts":{},"dur":{}}})",
          i == 0 ? "" : ",", 10'000 * i, i + 1);
    }
    std::ofstream(file) << "{\"traceEvents\":[" << events << "]}";
    take_in_dump(file);
  }

  /// Leaves of the findings what an older program kept: 1000 of them, as rows.
  void make_older() {
    std::string sql =
        "DELETE FROM trace_finding_block;"
        "UPDATE trace_finding_kind SET earliest = NULL;";
    for (std::int64_t i = kCount - 1000; i < kCount; ++i) {
      sql += fmt::format(
          "INSERT INTO trace_finding VALUES (1, {}, 'synchronization', 0, {}, {}, "
          "'as it was');",
          i, 10'000'000 * i, 10'000'000 * i + 1000 * (i + 1));
    }
    ASSERT_TRUE(connection_->execute("BEGIN;" + sql + "COMMIT"));
  }

  // All pages of the list.
  std::vector<json> walk(App& app, int limit, json* last = nullptr) {
    std::vector<json> items;
    const std::string list = fmt::format("/traces/1/findings/synchronization?limit={}", limit);
    for (std::string next = list; !next.empty();) {
      const json page = get_json(app, next);
      for (const json& item : page["items"]) items.push_back(item);
      next = page["next_cursor"].is_null()
                 ? ""
                 : list + "&cursor=" + page["next_cursor"].get<std::string>();
      EXPECT_EQ(page["total"], kCount);
      if (last != nullptr) *last = page;
      if (items.size() > static_cast<std::size_t>(2 * kCount)) return items;
    }
    return items;
  }
};

TEST_F(TraceFindings, ListReachesAllOfAKind) {
  take_in();
  const auto server = app();
  for (const int limit : {100, 333, 1000}) {
    const auto items = walk(*server, limit);
    ASSERT_EQ(items.size(), static_cast<std::size_t>(kCount));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::int64_t number = kCount - 1 - static_cast<std::int64_t>(i);
      EXPECT_EQ(items[i]["begin"], 10'000'000 * number);
      EXPECT_EQ(items[i]["end"], 10'000'000 * number + 1000 * (number + 1));
      EXPECT_EQ(items[i]["words"], "cudaStreamSynchronize");
    }
  }
  const json first = get_json(*server, "/traces/1/findings");
  EXPECT_EQ(first["items"].size(), 1000u);
  EXPECT_EQ(first["items"][0]["begin"], 10'000'000 * (kCount - 1000)) << "by beginning";
  const json& kind = first["kinds"][0];
  EXPECT_EQ(kind["count"], kCount);
  EXPECT_EQ(kind["kept"], kCount);
  EXPECT_EQ(kind["first"]["begin"], 0) << "which is none of the longest";
  EXPECT_EQ(get_json(*server, "/traces/1")["findings"], kCount);
  const json none = get_json(*server, "/traces/1/findings/step");
  EXPECT_TRUE(none["items"].empty());
  EXPECT_EQ(none["total"], 0);
  EXPECT_EQ(get(*server, "/traces/1/findings/steps").status, 400);
  EXPECT_EQ(get(*server, "/traces/2/findings/step").status, 404);
  EXPECT_EQ(get(*server, "/traces/1/findings/step?cursor=AAAA").status, 400);
  // A cursor is of the list of one kind.
  const std::string cursor =
      get_json(*server, "/traces/1/findings/synchronization?limit=1")["next_cursor"];
  EXPECT_EQ(get(*server, "/traces/1/findings/step?cursor=" + cursor).status, 400);
}

TEST_F(TraceFindings, OfAnOlderProgramAreListedAndFoundAgain) {
  take_in();
  make_older();
  // One server all the time: what it has answered before is not answered again.
  const auto server = app();
  {
    json last;
    const auto items = walk(*server, 300, &last);
    ASSERT_EQ(items.size(), 1000u);
    EXPECT_EQ(last["kept"], 1000) << "what is beyond is said";
    EXPECT_EQ(items.front()["words"], "as it was");
    EXPECT_EQ(items.front()["begin"], 10'000'000 * (kCount - 1));
    const json kind = get_json(*server, "/traces/1/findings")["kinds"][0];
    EXPECT_EQ(kind["count"], kCount);
    EXPECT_EQ(kind["kept"], 1000);
    EXPECT_TRUE(kind["first"].is_null());
  }
  const auto renewed = service::renew_digests(*connection_, service::Digests::kOutdated);
  ASSERT_TRUE(renewed) << renewed.error().message;
  EXPECT_EQ(*renewed, 1);
  EXPECT_EQ(*service::renew_digests(*connection_, service::Digests::kOutdated), 0) << "once";
  EXPECT_EQ(get_json(*server, "/traces/1/findings")["kinds"][0]["kept"], kCount);
  const auto items = walk(*server, 1000);
  ASSERT_EQ(items.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(items.back()["begin"], 0);
  EXPECT_EQ(items.back()["words"], "cudaStreamSynchronize");
}

TEST_F(TraceFindings, OfAnOlderProgramThatKeptAllHaveAFirst) {
  take_in();
  ASSERT_TRUE(connection_->execute(
      "BEGIN; DELETE FROM trace_finding_block;"
      "UPDATE trace_finding_kind SET earliest = NULL, count = 2;"
      "INSERT INTO trace_finding VALUES (1, 0, 'synchronization', 0, 5, 6, 'first'),"
      "(1, 1, 'synchronization', 0, 7, 90, 'longest'); COMMIT"));
  const json kind = get_json(*app(), "/traces/1/findings")["kinds"][0];
  EXPECT_EQ(kind["kept"], 2);
  EXPECT_EQ(kind["first"]["words"], "first");
  EXPECT_EQ(*service::renew_digests(*connection_, service::Digests::kOutdated), 0)
      << "nothing is missing";
}

TEST_F(TraceFindings, CountersLeftOutAreSaidAsSoonAsTheyAreCounted) {
  take_in();
  const auto server = app();
  const auto left_out = [&] { return get_json(*server, "/traces/1")["counters_left_out"]; };
  EXPECT_EQ(left_out(), 0);
  ASSERT_TRUE(connection_->execute("UPDATE trace_index SET counters_left_out = NULL"));
  EXPECT_TRUE(left_out().is_null());
  EXPECT_EQ(*trace::index_traces(*connection_, trace::ReindexScope::kStale), 1);
  EXPECT_EQ(left_out(), 0);
}

}  // namespace
}  // namespace benchhud::server
