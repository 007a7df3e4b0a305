#include "schema/results/run_choice.h"

#include <gtest/gtest.h>

#include <vector>

namespace benchhud::schema {
namespace {

class Choice : public testing::Test {
 protected:
  Choice() {
    // Newest first.
    add(4, "2026-01-04", "B200", {{"branch", "main"}, {"pytorch", "ccc"}});
    add(3, "2026-01-03", "A100", {{"branch", "fast=er"}, {"pytorch", "bbb"}});
    add(2, "2026-01-02", "A100", {{"branch", "main"}, {"pytorch", "aaa"}});
    add(1, "2026-01-01", "A100", {{"branch", "main"}});
  }
  void add(std::int64_t id, const std::string& name, const std::string& model,
           std::map<std::string, std::string> labels) {
    schema::Run run;
    run.id = RunId{id};
    run.name = name;
    run.accelerator_model = model;
    run.labels = std::move(labels);
    runs_.push_back(run);
  }
  /// The id; 0 for none, -1 for several.
  std::int64_t chosen(std::string_view text, std::optional<std::string_view> model = {}) const {
    std::vector<const schema::Run*> places;
    for (const schema::Run& run : runs_) places.push_back(&run);
    const auto run = choose_run(places, text, model);
    if (!run) return run.error().code == ErrorCode::kNotFound ? 0 : -1;
    return to_int((*run)->id);
  }
  std::vector<schema::Run> runs_;
};

TEST_F(Choice, ByNameIdAndBeginning) {
  EXPECT_EQ(chosen("latest"), 4);
  EXPECT_EQ(chosen("latest", "A100"), 3);
  EXPECT_EQ(chosen("2026-01-02"), 2);
  EXPECT_EQ(chosen("2"), 2);
  EXPECT_EQ(chosen("2026-01-0"), -1);
  EXPECT_EQ(chosen("2027"), 0);
}

TEST_F(Choice, TheNewestRunWithALabel) {
  EXPECT_EQ(chosen("label:pytorch=aaa"), 2);
  EXPECT_EQ(chosen("branch:main"), 4);
  EXPECT_EQ(chosen("branch:main", "A100"), 2);
  EXPECT_EQ(chosen("label:branch=main", "A100"), 2);
  EXPECT_EQ(chosen("branch:fast=er"), 3) << "a value may hold what a label is parted by";
  EXPECT_EQ(chosen("label:branch=fast=er"), 3);
  EXPECT_EQ(chosen("label:pytorch=a"), 0) << "to the letter";
  EXPECT_EQ(chosen("label:none"), 0);
  EXPECT_TRUE(asks_for_label("branch:main"));
  EXPECT_TRUE(asks_for_label("label:a=b"));
  EXPECT_FALSE(asks_for_label("label:a"));
  EXPECT_FALSE(asks_for_label("latest"));
}

TEST_F(Choice, ANameGoesBeforeALabel) {
  add(9, "branch:main", "A100", {});
  EXPECT_EQ(chosen("branch:main"), 9);
}

}  // namespace
}  // namespace benchhud::schema
