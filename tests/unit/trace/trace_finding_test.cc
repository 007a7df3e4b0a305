// Findings of stored traces: all are kept, and read from any one on.

#include "trace/trace_finding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "schema/base/column_codec.h"
#include "tests/unit/trace/trace_samples.h"

namespace benchhud::trace {
namespace {

constexpr std::int64_t kEarliestTime = std::numeric_limits<std::int64_t>::min();

std::vector<TraceFinding> made_up(std::size_t count) {
  std::vector<TraceFinding> findings;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::int64_t>(i * 7919 % 100'003);
    findings.push_back({.begin = begin,
                        .end = begin + static_cast<std::int64_t>(2 * (count - i)),
                        .thread = static_cast<std::uint32_t>(i % 3),
                        .label = static_cast<std::uint32_t>(i % 11),
                        .other = static_cast<std::uint32_t>(i % 5),
                        .number = static_cast<std::uint32_t>(i)});
  }
  return findings;
}

PackedFindings packed(const std::string& kind, const std::vector<TraceFinding>& findings) {
  PackedFindings all;
  all.kind = kind;
  all.count = static_cast<std::int64_t>(findings.size());
  for (std::size_t i = 0; i < findings.size(); i += kFindingsABlock) {
    const std::size_t size = std::min(kFindingsABlock, findings.size() - i);
    all.blocks.push_back(encode_findings(std::span(findings).subspan(i, size)));
  }
  return all;
}

class Findings : public testing::Test {
 protected:
  Findings() : connection_(trace_store()) {
    Trace trace;
    add_slice(&trace, 1, 0, 10);
    id_ = put(connection_, trace);
  }

  std::vector<FindingKind> kinds() {
    const auto found = trace_finding_kinds(connection_, id_);
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }
  std::vector<StoredFinding> page(const FindingKind& kind, std::size_t first, std::size_t limit) {
    const auto found = findings_of_kind(connection_, id_, kind, first, limit);
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }

  schema::Connection connection_;
  schema::TraceId id_{};
};

TEST_F(Findings, PagesGiveEachOnce) {
  // Sizes with and without a last block that is full.
  for (const std::size_t count : {std::size_t{1}, kFindingsABlock, 2 * kFindingsABlock + 17}) {
    const auto findings = made_up(count);
    ASSERT_TRUE(put_trace_findings(connection_, id_, {packed("step", findings)}));
    ASSERT_EQ(kinds().size(), 1u);
    const FindingKind kind = kinds()[0];
    EXPECT_EQ(kind.kind, "step");
    EXPECT_EQ(kind.count, static_cast<std::int64_t>(count));
    EXPECT_EQ(kind.kept, kind.count);
    EXPECT_EQ(kind.earliest, 0);
    EXPECT_FALSE(*lacks_findings(connection_, id_));
    for (const std::size_t limit : {std::size_t{100}, std::size_t{1000}, kFindingsABlock}) {
      std::vector<TraceFinding> read;
      for (;;) {
        const auto found = page(kind, read.size(), limit);
        for (const StoredFinding& each : found) {
          EXPECT_FALSE(each.words);
          read.push_back(each.finding);
        }
        if (found.size() < limit) break;
      }
      EXPECT_EQ(read, findings) << count << " by " << limit;
    }
    EXPECT_TRUE(page(kind, count, 10).empty());
    EXPECT_TRUE(page(kind, std::size_t{1} << 62, 10).empty());
  }
}

TEST_F(Findings, KindsAreApartAndGoWithTheTrace) {
  const auto steps = made_up(5), breaks = made_up(3);
  ASSERT_TRUE(
      put_trace_findings(connection_, id_, {packed("step", steps), packed("graph_break", breaks)}));
  ASSERT_EQ(kinds().size(), 2u);
  EXPECT_EQ(kinds()[0].kind, "graph_break");
  EXPECT_EQ(page(kinds()[0], 0, 100).size(), 3u);
  EXPECT_EQ(page(kinds()[1], 0, 100).size(), 5u);
  ASSERT_TRUE(delete_trace(connection_, id_));
  for (const char* table : {"trace_finding", "trace_finding_block", "trace_finding_kind"}) {
    schema::Statement query = connection_.prepare(std::string("SELECT count(*) FROM ") + table);
    ASSERT_TRUE(query.step());
    EXPECT_EQ(query.integer(0), 0) << table;
  }
}

TEST_F(Findings, OfAnOlderProgramAreReadAndWhatItLeftOutIsKnown) {
  ASSERT_TRUE(connection_.execute(
      "INSERT INTO trace_finding VALUES (1, 0, 'step', 0, 10, 20, 'short'),"
      "(1, 1, 'graph_break', 1, 30, 31, 'a break'), (1, 2, 'step', 0, 40, 90, 'long');"
      "INSERT INTO trace_finding_kind (trace_id, kind, count)"
      "VALUES (1, 'graph_break', 1), (1, 'step', 5932)"));
  ASSERT_EQ(kinds().size(), 2u);
  const FindingKind breaks = kinds()[0], steps = kinds()[1];
  EXPECT_EQ(breaks.kept, 1);
  EXPECT_EQ(steps.count, 5932);
  EXPECT_EQ(steps.kept, 2);
  EXPECT_EQ(steps.earliest, std::nullopt);
  EXPECT_TRUE(*lacks_findings(connection_, id_));
  const auto found = page(steps, 0, 10);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].words, "long");
  EXPECT_EQ(found[0].finding.end, 90);
  EXPECT_EQ(found[1].words, "short");
  ASSERT_EQ(page(steps, 1, 10).size(), 1u);
  EXPECT_EQ(page(steps, 1, 10)[0].words, "short");
  // Derived again, they are all there.
  ASSERT_TRUE(put_trace_findings(connection_, id_, {packed("step", made_up(5932))}));
  ASSERT_EQ(kinds().size(), 1u);
  EXPECT_EQ(kinds()[0].kept, 5932);
  EXPECT_FALSE(*lacks_findings(connection_, id_));
}

TEST(FindingBlocks, TimesFromOneEndToTheOtherAndDamage) {
  const std::vector<TraceFinding> findings = {{.begin = kEarliestTime, .end = schema::kLatest},
                                              {.begin = -5, .end = schema::kLatest},
                                              {.begin = schema::kLatest, .end = schema::kLatest},
                                              {.begin = kEarliestTime, .end = kEarliestTime}};
  const auto read = decode_findings(encode_findings(findings));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, findings);
  EXPECT_TRUE(decode_findings(encode_findings({}))->empty());
  const std::string block = encode_findings(made_up(100));
  EXPECT_EQ(decode_findings(block.substr(0, 20)).error().code, schema::ErrorCode::kCorrupt);
  const std::string bytes = *schema::decompress(block, schema::kMostColumnBytes);
  EXPECT_EQ(decode_findings(schema::compress(bytes.substr(0, bytes.size() - 1))).error().code,
            schema::ErrorCode::kCorrupt);
  EXPECT_EQ(decode_findings(schema::compress(bytes + '\0')).error().code,
            schema::ErrorCode::kCorrupt);
  // A length that is more than the one before, and an end behind the end of time.
  EXPECT_FALSE(
      decode_findings(schema::compress(std::string("\x02\x01\x02", 3) + std::string(10, '\0'))));
  schema::ColumnWriter late;
  late.put(1);
  late.put(2);
  late.put_signed(schema::kLatest - 1);
  for (int i = 0; i < 4; ++i) late.put(0);
  EXPECT_FALSE(decode_findings(schema::compress(late.bytes())));
}

}  // namespace
}  // namespace benchhud::trace
