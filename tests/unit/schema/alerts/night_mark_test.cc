// Marks of nights go where their runs go, and are there when a deleted run comes back.

#include "schema/alerts/night_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/text_limits.h"
#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/results/writer.h"
#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNight = 1761955200;  // 2025-11-01T00:00:00Z
constexpr double kDay = 86400;
constexpr auto kExcluded = NightMarkKind::kExcluded;
constexpr auto kEnvironment = NightMarkKind::kEnvironment;

class NightMarkTest : public ::testing::Test {
 protected:
  NightMarkTest() { EXPECT_TRUE(migrate(store_)); }

  // Takes in a file of one line and returns its run.
  schema::Run take_in(double timestamp, const std::string& accelerator_model = "A100") {
    const auto run = write(timestamp, accelerator_model);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *run : schema::Run();
  }

  void mark(const schema::Run& run, NightMarkKind kind, std::string_view reason,
            std::string_view who = "ada") {
    const auto done = mark_nights(store_, std::span(&run, 1), {kind, reason, who, {}});
    EXPECT_TRUE(done) << done.error().message;
  }

  // All marks in words.
  std::vector<std::string> marks(std::optional<std::string_view> model = {}) {
    const auto listed = night_marks(store_, model);
    EXPECT_TRUE(listed);
    std::vector<std::string> words;
    if (!listed) return words;
    for (const NightMark& mark : *listed) {
      words.push_back(mark.accelerator_model + " " + mark.name + " " +
                      std::string(night_mark_kind_name(mark.kind)) + ": " + mark.reason);
    }
    return words;
  }

  schema::Run read(const schema::Run& run) {
    const auto now = Reader(store_).run(run.id);
    EXPECT_TRUE(now);
    return now ? *now : schema::Run();
  }
  schema::Run renamed(const schema::Run& run, const std::string& name) {
    const auto done = rename_run(store_, run, name);
    EXPECT_TRUE(done) << done.error().message;
    return read(run);
  }

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);

 private:
  Expected<schema::Run> write(double timestamp, const std::string& accelerator_model) {
    BENCHHUD_ASSIGN(Transaction transaction, Transaction::begin(store_, Transaction::Kind::kWrite));
    FileOptions options;
    options.path = "/" + std::to_string(timestamp) + ".jsonl";
    BENCHHUD_ASSIGN(FileWriter writer, FileWriter::begin(store_, options));
    Experiment experiment;
    experiment.model = "resnet18";
    experiment.accelerator_model = accelerator_model;
    NewLine line;
    line.experiment = &experiment;
    line.identity = content_hash(experiment.identity());
    line.family = content_hash(experiment.family());
    line.timestamp = timestamp;
    line.hash = content_hash(options.path);
    line.line_number = 1;
    line.timed = true;
    BENCHHUD_TRY(writer.add(line));
    FileContent content;
    content.hash = line.hash;
    content.line_count = 1;
    BENCHHUD_ASSIGN(const FileReport report, writer.finish(content));
    BENCHHUD_TRY(transaction.commit());
    return Reader(store_).run(report.runs.at(0));
  }
};

TEST(NightMarkNames, AreReadBack) {
  for (const NightMarkKind kind : {kExcluded, kEnvironment}) {
    EXPECT_EQ(night_mark_kind_of(night_mark_kind_name(kind)), kind);
  }
  EXPECT_EQ(night_mark_kind_name(kExcluded), "excluded");
  EXPECT_EQ(night_mark_kind_of("included"), std::nullopt);
}

TEST_F(NightMarkTest, ComesBackAsItWasGiven) {
  const schema::Run run = take_in(kNight);
  const schema::Run elsewhere = take_in(kNight, "V100");
  mark(run, kExcluded, "the fan was off");
  mark(run, kEnvironment, "driver 550", "grace");
  mark(elsewhere, kExcluded, "");
  const auto all = night_marks(store_);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].accelerator_model, "A100");
  EXPECT_EQ((*all)[0].name, "2025-11-01T00:00:00Z");
  EXPECT_EQ((*all)[0].kind, kEnvironment);
  EXPECT_EQ((*all)[0].reason, "driver 550");
  EXPECT_EQ((*all)[0].who, "grace");
  EXPECT_GT((*all)[0].at, 1.7e9);
  EXPECT_EQ((*all)[1].kind, kExcluded);
  EXPECT_EQ((*all)[2].accelerator_model, "V100");
  EXPECT_THAT(marks("V100"), ElementsAre("V100 2025-11-01T00:00:00Z excluded: "));
  EXPECT_THAT(marks("T4"), IsEmpty());
}

TEST_F(NightMarkTest, AMarkIsReplacedAndTakenAway) {
  const schema::Run run = take_in(kNight);
  mark(run, kExcluded, "first");
  mark(run, kEnvironment, "driver");
  mark(run, kExcluded, "second");
  EXPECT_THAT(marks(), ElementsAre("A100 2025-11-01T00:00:00Z environment: driver",
                                   "A100 2025-11-01T00:00:00Z excluded: second"));
  ASSERT_TRUE(unmark_nights(store_, std::span(&run, 1), kExcluded));
  EXPECT_THAT(marks(), ElementsAre("A100 2025-11-01T00:00:00Z environment: driver"));
  const auto lines = audit(store_, 10);
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 4u);
  EXPECT_EQ((*lines)[0].action, "unmark");
  EXPECT_EQ((*lines)[1].action, "mark");
  EXPECT_THAT((*lines)[3].detail, AllOf(HasSubstr(run.name), HasSubstr("excluded by ada: first")));

  const auto again = unmark_nights(store_, std::span(&run, 1), kExcluded);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(audit(store_, 10)->size(), 4u);
}

TEST_F(NightMarkTest, ARunChangesWithItsMarks) {
  const schema::Run run = take_in(kNight);
  mark(run, kExcluded, "");
  EXPECT_EQ(read(run).revision, *Reader(store_).revision());
  EXPECT_EQ(read(run).revision, run.revision + 1);
  ASSERT_TRUE(unmark_nights(store_, std::span(&run, 1), kExcluded));
  EXPECT_EQ(read(run).revision, run.revision + 2);
}

TEST_F(NightMarkTest, TextsAreKeptAsTheyAreUpToALine) {
  const schema::Run run = take_in(kNight, "it's \"A100\"; --");
  for (const std::string& text :
       {std::string("it's; DROP TABLE night_mark; --"), std::string("a\0b", 3),
        std::string("\xF0\x9F\x90\xA2\xFF\n"), std::string(kMostLineBytes, 'x')}) {
    mark(run, kExcluded, text, text);
    const auto all = night_marks(store_, run.accelerator_model);
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 1u);
    EXPECT_EQ(all->front().reason, text);
    EXPECT_EQ(all->front().who, text);
  }
  const std::string before = marks().front();
  const std::string long_text(kMostLineBytes + 1, 'x');
  EXPECT_EQ(mark_nights(store_, std::span(&run, 1), {kExcluded, long_text, "ada", {}}).error().code,
            ErrorCode::kTooLarge);
  EXPECT_EQ(mark_nights(store_, std::span(&run, 1), {kExcluded, "", long_text, {}}).error().code,
            ErrorCode::kTooLarge);
  EXPECT_THAT(marks(), ElementsAre(before));
}

TEST_F(NightMarkTest, FollowsARunThatIsRenamed) {
  const schema::Run run = take_in(kNight);
  const schema::Run elsewhere = take_in(kNight, "V100");
  mark(run, kExcluded, "fan");
  mark(elsewhere, kExcluded, "stays");
  const schema::Run monday = renamed(run, "monday");
  EXPECT_THAT(marks(), ElementsAre("A100 monday excluded: fan",
                                   "V100 2025-11-01T00:00:00Z excluded: stays"));
  ASSERT_TRUE(unmark_nights(store_, std::span(&monday, 1), kExcluded));
  EXPECT_EQ(marks().size(), 1u);
}

TEST_F(NightMarkTest, WhatADeletedRunLeftYieldsToTheOwnOfARunThatTakesItsName) {
  const schema::Run deleted = renamed(take_in(kNight), "monday");
  mark(deleted, kExcluded, "left");
  mark(deleted, kEnvironment, "left");
  ASSERT_TRUE(delete_run(store_, deleted));
  const schema::Run run = take_in(kNight + kDay);
  mark(run, kExcluded, "own");
  renamed(run, "monday");
  EXPECT_THAT(marks(), ElementsAre("A100 monday environment: left", "A100 monday excluded: own"));
}

TEST_F(NightMarkTest, GoesWithARunThatIsMergedUnlessTheOtherHasOne) {
  const schema::Run from = take_in(kNight);
  const schema::Run into = take_in(kNight + kDay);
  mark(from, kExcluded, "from");
  mark(from, kEnvironment, "from");
  mark(into, kExcluded, "into");
  ASSERT_TRUE(merge_runs(store_, from, into));
  EXPECT_THAT(marks(), ElementsAre("A100 2025-11-02T00:00:00Z environment: from",
                                   "A100 2025-11-02T00:00:00Z excluded: into"));
  EXPECT_EQ(read(into).name, "2025-11-02T00:00:00Z");
}

TEST_F(NightMarkTest, IsThereWhenADeletedRunComesBack) {
  const schema::Run run = take_in(kNight);
  mark(run, kExcluded, "fan");
  ASSERT_TRUE(delete_run(store_, run));
  EXPECT_THAT(marks(), ElementsAre("A100 2025-11-01T00:00:00Z excluded: fan"));
  const schema::Run back = take_in(kNight);
  EXPECT_NE(back.id, run.id);
  EXPECT_EQ(back.name, run.name);
  ASSERT_TRUE(unmark_nights(store_, std::span(&back, 1), kExcluded));
  EXPECT_THAT(marks(), IsEmpty());
}

TEST_F(NightMarkTest, ARebuildLeavesThemAsTheyAre) {
  const schema::Run run = take_in(kNight + 60);
  mark(run, kExcluded, "fan");
  const auto before = marks();
  ASSERT_TRUE(rebuild(store_));
  EXPECT_EQ(marks(), before);
  RunGrouping grouping;
  grouping.by = RunGrouping::By::kNight;
  ASSERT_TRUE(regroup_runs(store_, grouping));
  ASSERT_TRUE(regroup_runs(store_, {}));
  EXPECT_EQ(marks(), before);
}

}  // namespace
}  // namespace benchhud::schema
