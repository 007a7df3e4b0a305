#include "analysis/profiles/compilation_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/profiles/logged_compilations.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = CompilationChange::Kind;

CompilationDiff compare(const MadeLog& before, const MadeLog& after,
                        const std::vector<std::string>& texts = {},
                        std::int64_t most_text = kMostTextOfLogs) {
  const ReadText read = [&](schema::TextId id) -> schema::Expected<std::string> {
    return texts.at(static_cast<std::size_t>(id));
  };
  auto diff = compare_compilations(before.log, after.log, read, most_text);
  EXPECT_TRUE(diff);
  return *std::move(diff);
}

std::string sentence_of(const CompilationDiff& diff) {
  return fmt::format("{}", fmt::join(compilation_parts(diff), "; "));
}

std::string phase(const std::string& name, double seconds, const char* source = "events",
                  bool is_backward = false) {
  return fmt::format(
      R"({{"name": "{}", "source": "{}", "backward": {}, "seconds": {}, "count": 1}})", name,
      source, is_backward, seconds);
}

std::vector<std::string> lines_of(const CompilationDiff& diff) {
  std::vector<std::string> lines;
  for (const CompilationChange& change : diff.changes) lines.push_back(change_text(change));
  return lines;
}

TEST(CompilationDiff, TheSameLogsDoNotDiffer) {
  MadeLog log;
  log.add("0/0", "forward", 38).graph_breaks = R"(["call to print"])";
  log.put_out("inductor_output_code", 0);
  const CompilationDiff diff = compare(log, log, {"code"});
  EXPECT_THAT(diff.changes, IsEmpty());
  EXPECT_THAT(diff.unknown, IsEmpty());
  EXPECT_EQ(sentence_of(diff), "");
  EXPECT_EQ(diff.before.graph_breaks, 1);
}

TEST(CompilationDiff, BreaksRecompilationsAndFailuresAreComparedByTheirReasons) {
  MadeLog before, after;
  before.add("0/0", "forward", 38).graph_breaks =
      R"(["Graph break in user code at /srv/m.py:43\nReason: call to print"])";
  before.add("0/1", "forward", 38).recompiles = R"(["0/0: size mismatch. expected 8, actual 4"])";
  after.add("3/0", "forward", 40).graph_breaks =
      R"(["Graph break in user code at /srv/m.py:45\nReason: call to print", "Reason: call to id"])";
  after.add("3/1", "forward", 40).recompiles = R"(["3/0: size mismatch. expected 8, actual 4"])";
  after.add("3/2", "forward", 40).recompiles = R"(["3/0: size mismatch. expected 8, actual 2"])";
  auto& failed = after.add("4/0", "loss", 60);
  failed.fail_type = "RuntimeError";
  failed.fail_reason = "unhashable";
  const CompilationDiff diff = compare(before, after);
  EXPECT_THAT(
      lines_of(diff),
      ElementsAre("failure is new in loss (model.py:60): RuntimeError: unhashable",
                  "graph break is new in forward (model.py:40): call to id",
                  "recompilation is new in forward (model.py:40): 3/0: size mismatch. expected 8, "
                  "actual 2",
                  "frame is new: loss (model.py:60)"));
  EXPECT_EQ(diff.changes[2].compile_id_after, "3/2");
  EXPECT_EQ(diff.changes[2].ordinal_after, 2);
  EXPECT_EQ(
      sentence_of(diff),
      "1 failure more in loss (model.py:60): RuntimeError: unhashable; 1 graph break more in "
      "forward (model.py:40): call to id; 1 recompilation more in forward (model.py:40): 3/0: "
      "size mismatch. expected 8, actual 2; 1 frame more: loss (model.py:60)");
  const CompilationDiff back = compare(after, before);
  EXPECT_THAT(sentence_of(back), HasSubstr("1 graph break fewer"));
  EXPECT_EQ(back.changes[1].change, ProfileChange::Kind::kGone);
}

TEST(CompilationDiff, ARecompilationWithoutAReasonIsOneNevertheless) {
  MadeLog before, after;
  before.add("0/0", "forward", 38);
  after.add("0/0", "forward", 38);
  after.add("0/1", "forward", 38);
  after.add("0/2", "forward", 38);
  EXPECT_EQ(sentence_of(compare(before, after)), "2 recompilations more in forward (model.py:38)");
}

TEST(CompilationDiff, RecompilationsAreCountedAndNotTheirReasons) {
  MadeLog before, after;
  before.add("0/0", "forward", 38);
  before.add("0/1", "forward", 38).recompiles = R"(["0/0: size mismatch"])";
  after.add("0/0", "forward", 38);
  // A reason for each version that did not fit.
  after.add("0/1", "forward", 38).recompiles = R"(["0/0: size mismatch"])";
  after.add("0/2", "forward", 38).recompiles = R"(["0/1: size mismatch", "0/0: size mismatch"])";
  EXPECT_EQ(sentence_of(compare(before, after)),
            "1 recompilation more in forward (model.py:38): 0/0: size mismatch");
  EXPECT_EQ(sentence_of(compare(after, before)),
            "1 recompilation fewer in forward (model.py:38): 0/0: size mismatch");
  after.log.compilations.pop_back();
  after.log.compilations.back().stored.compilation.recompiles = R"(["0/0: dtype mismatch"])";
  EXPECT_EQ(sentence_of(compare(before, after)),
            "recompilation for another reason in forward (model.py:38): 0/0: dtype mismatch");
}

TEST(CompilationDiff, RecompilationsAreComparedWhereEachReasonIsAsOftenGiven) {
  MadeLog before, after;
  before.add("0/0", "forward", 38);
  before.add("0/1", "forward", 38).recompiles = R"(["0/0: size", "0/0: dtype"])";
  after.add("0/0", "forward", 38);
  after.add("0/1", "forward", 38).recompiles = R"(["0/0: size"])";
  after.add("0/2", "forward", 38).recompiles = R"(["0/0: dtype"])";
  const CompilationDiff diff = compare(before, after);
  EXPECT_THAT(lines_of(diff), ElementsAre("recompilation 1 → 2 in forward (model.py:38)"));
  EXPECT_EQ(sentence_of(diff), "1 recompilation more in forward (model.py:38)");
}

TEST(CompilationDiff, OthersAreThoseThatWerePassedOver) {
  MadeLog before, after;
  for (const int line : {10, 20, 30}) {
    const std::string id = fmt::format("{}", line), name = fmt::format("f{}", line);
    before.add(id + "/0", name, line);
    after.add(id + "/0", name, line).graph_breaks = R"(["print", "print"])";
    if (line == 20) {
      EXPECT_EQ(sentence_of(compare(before, after)),
                "4 graph breaks more in f10 (model.py:10): print, in f20 (model.py:20): print");
    }
  }
  EXPECT_EQ(sentence_of(compare(before, after)),
            "6 graph breaks more in f10 (model.py:10): print, in f20 (model.py:20): print, and "
            "others");
}

TEST(CompilationDiff, SectionsLeaveOutWhatALogDoesNotSay) {
  const auto section = [](const MadeLog& log, std::size_t which) {
    return profile_sections(log.log).at(which);
  };
  const auto has_breaks = [&](const MadeLog& log) {
    const auto items = section(log, 0).items;
    return std::any_of(items.begin(), items.end(), [](const ProfileItem& item) {
      return item.name == "graph breaks with a reason";
    });
  };
  MadeLog log;
  log.add("0/0", "forward", 38).seconds = 2;
  EXPECT_TRUE(has_breaks(log)) << "there is none";
  EXPECT_EQ(section(log, 1).total, 2e9);
  EXPECT_THAT(profile_problems(log.log), IsEmpty());
  log.add("1/0", "torch_dynamo_resume_in_forward_at_43", 43);
  EXPECT_FALSE(has_breaks(log)) << "there is one, and the log gives no reasons";
  EXPECT_EQ(section(log, 1).total, std::nullopt);
  EXPECT_THAT(profile_problems(log.log),
              ElementsAre("the log does not say the time of 1 compilation: there is no total"));
}

TEST(CompilationDiff, SectionsOfWhichOneLogDoesNotSayEnoughGiveNoVerdict) {
  MadeLog before, after;
  auto& timed = before.add("0/0", "forward", 38);
  timed.seconds = 2;
  timed.phases = "[" + phase("inductor_compile", 1) + "]";
  timed.graph_breaks = R"(["call to print"])";
  before.add("1/0", "torch_dynamo_resume_in_forward_at_43", 43).seconds = 1;
  after.add("0/0", "forward", 38).phases = "[" + phase("inductor_compile", 2) + "]";
  after.add("1/0", "torch_dynamo_resume_in_forward_at_43", 43);
  for (const bool is_back : {false, true}) {
    const auto differences =
        is_back ? compare_sections(profile_sections(after.log), profile_sections(before.log))
                : compare_sections(profile_sections(before.log), profile_sections(after.log));
    ASSERT_EQ(differences.size(), 2U);
    EXPECT_THAT(differences[0].difference.changes, IsEmpty())
        << "how many breaks the other log has is not known";
    EXPECT_FALSE(differences[1].has_total);
    ASSERT_EQ(differences[1].difference.changes.size(), 1U);
    EXPECT_EQ(differences[1].difference.changes[0].share, std::nullopt);
  }
}

TEST(CompilationDiff, WithoutReasonsOfBreaksTheFramesBehindThemTell) {
  MadeLog before, after;
  before.add("0/0", "forward", 38);
  before.add("1/0", "torch_dynamo_resume_in_forward_at_43", 43);
  after.add("0/0", "forward", 38).graph_breaks = R"(["call to print"])";
  after.add("1/0", "torch_dynamo_resume_in_forward_at_43", 43);
  after.add("2/0", "torch_dynamo_resume_in_forward_at_57", 57);
  const CompilationDiff diff = compare(before, after);
  EXPECT_THAT(lines_of(diff),
              ElementsAre("graph break is new in forward, resumed at line 57 (model.py)"));
  EXPECT_THAT(diff.unknown, ElementsAre(HasSubstr("no reasons of its graph breaks")));
}

TEST(CompilationDiff, CodeIsOtherWhereItDoesSomethingElse) {
  MadeLog before, after;
  const std::vector<std::string> texts = {"# /a\nx < 1", "# /b\nx < 1", "x < 2", "def f(): ..."};
  before.add("0/0", "forward", 38);
  before.put_out("inductor_output_code", 0);
  before.put_out("dynamo_output_graph", 3);
  before.add("1/0", "loss", 60);
  before.put_out("inductor_output_code", 0);
  after.add("0/0", "forward", 38);
  after.put_out("inductor_output_code", 1);
  after.put_out("dynamo_output_graph", 3);
  after.add("1/0", "loss", 60);
  after.put_out("inductor_output_code", 2);
  const CompilationDiff diff = compare(before, after, texts);
  ASSERT_THAT(lines_of(diff),
              ElementsAre("other generated code in loss (model.py:60): inductor_output_code"));
  ASSERT_TRUE(diff.changes[0].output_before);
  EXPECT_EQ(diff.changes[0].output_before->ordinal, 2);
  EXPECT_EQ(diff.changes[0].output_before->byte_count, 10);
  EXPECT_EQ(diff.changes[0].output_after->ordinal, 2);
  EXPECT_EQ(sentence_of(diff), "other generated code of loss (model.py:60)");
}

TEST(CompilationDiff, WhatCannotBeComparedIsSaid) {
  MadeLog before, after;
  before.add("0/0", "forward", 38);
  before.put_out("inductor_output_code", 0);
  after.add("0/0", "forward", 38);
  after.put_out("inductor_output_code", 1);
  after.put_out("aot_forward_graph", 1);
  after.log.damaged_payloads = 1;
  after.log.unreadable_lines = 2;
  after.log.omitted = 3;
  const CompilationDiff diff = compare(before, after, {"a", "b"}, 5);
  EXPECT_THAT(diff.changes, IsEmpty());
  EXPECT_THAT(diff.unknown, ElementsAre("1 payload of the later log could not be read.",
                                        "2 lines of the later log could not be read.",
                                        HasSubstr("3 compilations and texts are not kept"),
                                        HasSubstr("1 pair of graphs or code not compared"),
                                        HasSubstr("1 kind of graph or code is in only one")));
  after.log.compilations[0].outputs[0].output.text.reset();
  EXPECT_THAT(compare(before, after, {"a", "b"}).changes, IsEmpty());
}

TEST(CompilationDiff, PhasesAreSlowerBeyondTheBoundOnly) {
  MadeLog before, after;
  auto& was = before.add("0/0", "forward", 38);
  auto& is = after.add("0/0", "forward", 38);
  was.phases = "[" + phase("inductor_compile", 1) + "," + phase("backend_compile", 2) + "," +
               phase("tiny", 0.001) + "," + phase("inductor", 1, "metrics") + "]";
  is.phases = "[" + phase("inductor_compile", 1.3) + "," + phase("backend_compile", 2.4) + "," +
              phase("tiny", 0.04) + "," + phase("inductor", 9, "metrics") + "]";
  was.seconds = 2;
  is.seconds = 2.6;
  EXPECT_THAT(lines_of(compare(before, after)),
              ElementsAre("inductor_compile slower in forward (model.py:38): 1 s → 1.3 s"));
  EXPECT_EQ(sentence_of(compare(before, after)),
            "compilation 2 s → 2.6 s; inductor_compile slower in forward (model.py:38): 1 s → 1.3 "
            "s");
  // Where only one has events, metrics are compared.
  was.phases = "[" + phase("inductor", 1, "metrics") + "]";
  EXPECT_THAT(lines_of(compare(before, after)),
              ElementsAre("inductor slower in forward (model.py:38): 1 s → 9 s"));
  // A total with parts that are unknown is none.
  is.seconds.reset();
  EXPECT_THAT(sentence_of(compare(before, after)), testing::Not(HasSubstr("compilation")));
}

TEST(CompilationDiff, CachesThatBothNightsAskedAreCompared) {
  MadeLog before, after;
  before.add("0/0", "forward", 38).caches =
      R"([{"cache": "fx_graph", "outcome": "hit", "reason": ""}])";
  after.add("0/0", "forward", 38).caches =
      R"([{"cache": "fx_graph", "outcome": "miss", "reason": ""}, {"cache": "aot", "outcome": "miss", "reason": ""}])";
  EXPECT_THAT(lines_of(compare(before, after)),
              ElementsAre("cache in forward (model.py:38): fx_graph: hit → miss"));
  EXPECT_EQ(sentence_of(compare(before, after)),
            "cache fx_graph: hit → miss in forward (model.py:38)");
}

TEST(CompilationDiff, ARestartIsSaidWhereNoBreakExplainsIt) {
  MadeLog before, after;
  before.add("0/0", "forward", 38);
  auto& is = after.add("0/0", "forward", 38);
  is.restarts = R"(["speculation failed"])";
  EXPECT_EQ(sentence_of(compare(before, after)),
            "1 restart more in forward (model.py:38): speculation failed");
  is.graph_breaks = R"(["call to print"])";
  EXPECT_EQ(sentence_of(compare(before, after)),
            "1 graph break more in forward (model.py:38): call to print");
}

}  // namespace
}  // namespace benchhud::analysis
