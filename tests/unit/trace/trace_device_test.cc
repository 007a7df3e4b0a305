// When a device was busy, in the store: all of it in any window, at any resolution.

#include "trace/trace_device.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/trace/trace_samples.h"

namespace benchhud::trace {
namespace {

class Devices : public testing::Test {
 protected:
  Devices() : connection_(trace_store()) {
    Trace trace;
    add_slice(&trace, 1, 0, 10);
    id_ = put(connection_, trace);
  }

  void keep(const std::vector<std::vector<BusySpan>>& devices) {
    std::vector<PackedDevice> packed;
    for (const auto& spans : devices) {
      PackedDevice device;
      device.device.thread = 7;
      device.device.idle = {1, 2, 3, 4};
      device.blocks = pack_busy(spans);
      packed.push_back(std::move(device));
    }
    ASSERT_TRUE(put_trace_devices(connection_, id_, packed));
  }
  std::vector<BusyItem> busy(const BusyQuery& query) {
    const auto found = busy_in_window(connection_, id_, query);
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }
  std::int64_t rows(const std::string& table) {
    schema::Statement query = connection_.prepare("SELECT count(*) FROM " + table);
    EXPECT_TRUE(query.step());
    return query.integer(0);
  }

  schema::Connection connection_;
  schema::TraceId id_{};
};

std::vector<BusySpan> random_spans(std::size_t count) {
  std::mt19937 random(4711);
  std::vector<BusySpan> spans;
  std::int64_t at = -50'000;
  for (std::size_t i = 0; i < count; ++i) {
    at += 1 + random() % 300;
    const std::int64_t begin = at;
    at += 1 + random() % (i % 100 == 0 ? 20'000 : 200);
    spans.push_back({begin, at});
  }
  return spans;
}

TEST_F(Devices, AreNotKnownUntilTheyAreKept) {
  ASSERT_FALSE(*trace_devices(connection_, id_));
  keep({});
  EXPECT_EQ(trace_devices(connection_, id_)->value().size(), 0u) << "it is known that it has none";
  keep({{{0, 10}}, {{5, 6}}});
  const auto devices = trace_devices(connection_, id_)->value();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1].number, 1u);
  EXPECT_EQ(devices[1].thread, 7u);
  EXPECT_EQ(devices[1].idle, (std::array<std::int64_t, kIdleCauses>{1, 2, 3, 4}));
  ASSERT_TRUE(put_trace_devices(connection_, id_, std::nullopt));
  EXPECT_FALSE(*trace_devices(connection_, id_));
  EXPECT_EQ(rows("trace_device_block"), 0);
}

TEST_F(Devices, GoWithTheTrace) {
  keep({random_spans(2000)});
  EXPECT_GT(rows("trace_device_block"), 3);
  ASSERT_TRUE(delete_trace(connection_, id_));
  EXPECT_EQ(rows("trace_device"), 0);
  EXPECT_EQ(rows("trace_device_block"), 0);
}

TEST_F(Devices, EveryWindowHasAllOfItsSpans) {
  const auto spans = random_spans(5000);
  keep({{{0, 1}}, spans});
  const std::int64_t first = spans.front().begin, last = spans.back().end;
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    BusyQuery query{.device = 1, .begin = 0, .end = 0, .buckets = 1};
    query.buckets += static_cast<std::uint32_t>(random() % 2000);
    query.begin = first - 100 + static_cast<std::int64_t>(random() % (last - first));
    query.end = query.begin + 1 + static_cast<std::int64_t>(random() % (last - first));
    std::int64_t count = 0, sum = 0;
    for (const BusySpan& span : spans) {
      if (span.end <= query.begin || span.begin >= query.end) continue;
      ++count;
      sum += span.end - span.begin;
    }
    const auto items = busy(query);
    ASSERT_LE(items.size(), 2 * std::size_t{query.buckets} + 1);
    for (std::size_t at = 0; at < items.size(); ++at) {
      count -= items[at].count;
      sum -= items[at].busy;
      ASSERT_LE(items[at].busy, items[at].end - items[at].begin);
      if (at > 0) {
        ASSERT_GT(items[at].begin, items[at - 1].end);
      }
    }
    ASSERT_EQ(count, 0) << query.begin << " " << query.end << " " << query.buckets;
    ASSERT_EQ(sum, 0);
  }
  // As fine as a nanosecond each span is an item.
  const auto items =
      busy({.device = 1, .begin = spans[600].begin, .end = spans[603].end, .buckets = 65'536});
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[2],
            (BusyItem{spans[602].begin, spans[602].end, spans[602].end - spans[602].begin, 1}));
  EXPECT_TRUE(busy({.device = 2, .begin = 0, .end = 10}).empty()) << "there is no such device";
}

TEST_F(Devices, TimesFromOneEndOf64BitsToTheOther) {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  keep({{{kFirst, -5}, {0, kLast}}});
  const auto items = busy({.device = 0, .begin = kFirst, .end = kLast, .buckets = 3});
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].end, -5);
  EXPECT_EQ(items[1].end, kLast);
}

TEST_F(Devices, WrongWindowsAndDamageAreErrors) {
  keep({random_spans(10)});
  EXPECT_FALSE(busy_in_window(connection_, id_, {.device = 0, .begin = 5, .end = 5}));
  EXPECT_FALSE(busy_in_window(connection_, id_, {.device = 0, .begin = 0, .end = 5, .buckets = 0}));
  ASSERT_TRUE(connection_.execute("UPDATE trace_device_block SET bytes = x'00'"));
  const auto damaged =
      busy_in_window(connection_, id_, {.device = 0, .begin = -60'000, .end = 60'000});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, schema::ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace benchhud::trace
