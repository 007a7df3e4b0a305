// Tracks that are derived from what a profile of XLA says of its operators.
#include "analysis/tracks/xla_derived_tracks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/analysis/trace_builder.h"
#include "trace/trace_nesting.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// Row, begin, end, name.
using Shown = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::string>;
using Tracks = std::map<std::string, std::vector<Shown>>;

// What an operator says of itself.
struct Said {
  std::string_view name, module, framework_op, source;
  std::optional<std::uint64_t> program = 7;
};

// A profile of one GPU, with two streams, and the host's thread 0.
class DerivedTracksOfXla : public testing::Test {
 protected:
  static constexpr std::uint32_t kStream = 1, kOtherStream = 2;

  DerivedTracksOfXla() {
    for (const std::uint32_t thread : {kStream, kOtherStream}) {
      builder_.trace().threads[thread].pid = "1";
      builder_.trace().threads[thread].process_name = "/device:GPU:0";
    }
    name_thread(kStream, "Stream #1");
    name_thread(kOtherStream, "Stream #2");
    profile_.devices.resize(1);
    profile_.devices[0].kind = trace::XlaDevice::Kind::kGpu;
  }

  void name_thread(std::uint32_t thread, const std::string& name) {
    builder_.trace().threads[thread].name = name;
  }

  std::uint32_t text(std::string_view text) { return builder_.trace().texts.put(text); }

  std::uint32_t op(const Said& said) {
    trace::XlaOperator& op = profile_.operators.emplace_back();
    op.name = text(said.name);
    op.module = text(said.module);
    op.framework_op = text(said.framework_op);
    op.source = text(said.source);
    op.program = said.program;
    return static_cast<std::uint32_t>(profile_.operators.size() - 1);
  }

  void add(std::uint32_t op, std::int64_t begin, std::int64_t end, std::uint32_t thread = kStream,
           std::int64_t correlation = -1) {
    profile_.slices.push_back(
        {builder_.add("kernel", "kernel", thread, begin, end, correlation), op});
  }

  // Of that module; the names of all slices of a run are joined by it.
  void add_run(std::string_view module, std::int64_t begin, std::int64_t end,
               std::uint32_t device = 0) {
    const std::uint32_t name = text(module);
    std::uint32_t number = 0;
    for (; number < profile_.modules.size(); ++number) {
      const trace::XlaModule& known = profile_.modules[number];
      if (known.name == name && known.device == device) break;
    }
    if (number == profile_.modules.size()) {
      profile_.modules.push_back({.device = device, .name = name, .program = 7});
    }
    ++profile_.modules[number].runs;
    profile_.modules[number].total_ps += 1000 * (end - begin);
    profile_.runs.push_back({number, begin, end});
  }

  // Of the device of that process.
  Tracks tracks(std::string_view process = "1") {
    builder_.trace().xla = std::make_shared<const trace::XlaProfile>(profile_);
    const NestedTrace nested(builder_);
    const auto made = xla_derived_tracks(nested.context);
    EXPECT_TRUE(made);
    Tracks found;
    for (const trace::DerivedTrack& track : made->tracks) {
      if (track.thread.pid != process) continue;
      EXPECT_EQ(track.thread.process_name, process == "1" ? "/device:GPU:0" : "/device:GPU:1");
      stack_rows_[track.thread.name] = track.stack_rows;
      for (const trace::ChunkSlice& slice : track.slices) {
        found[track.thread.name].emplace_back(slice.row, slice.begin, slice.end(),
                                              made->names[slice.label]);
      }
    }
    return found;
  }

  TraceBuilder builder_;
  trace::XlaProfile profile_;
  std::map<std::string, std::vector<std::uint32_t>> stack_rows_;
};

TEST_F(DerivedTracksOfXla, JoinWhatFollowsInOneRunOfAModule) {
  const auto fusion = op({"fusion.1", "jit_f", "jit(f)/layer/add", "model.py:3"});
  const auto dot = op({"dot.2", "jit_f", "jit(f)/layer/dot", "model.py:4"});
  add(fusion, 0, 10);
  add(fusion, 100, 110);  // a gap that no rule of lengths would bridge: the run is known
  add(dot, 110, 130);
  add(fusion, 1000, 1010);
  add_run("jit_f", 0, 130);
  add_run("jit_f", 1000, 1010);
  const Tracks found = tracks();
  EXPECT_THAT(found.at("XLA Modules"),
              ElementsAre(Shown(0, 0, 130, "jit_f(7)"), Shown(0, 1000, 1010, "jit_f(7)")));
  EXPECT_THAT(found.at("XLA Ops"),
              ElementsAre(Shown(0, 0, 110, "fusion.1"), Shown(0, 110, 130, "dot.2"),
                          Shown(0, 1000, 1010, "fusion.1")));
  EXPECT_THAT(found.at("Framework Ops"), ElementsAre(Shown(0, 0, 110, "jit(f)/layer/add"),
                                                     Shown(0, 110, 130, "jit(f)/layer/dot"),
                                                     Shown(0, 1000, 1010, "jit(f)/layer/add")));
  EXPECT_THAT(found.at("Framework Name Scope"),
              ElementsAre(Shown(0, 0, 130, "jit(f)"), Shown(0, 1000, 1010, "jit(f)"),
                          Shown(1, 0, 130, "layer"), Shown(1, 1000, 1010, "layer")));
  EXPECT_THAT(found.at("Source code"),
              ElementsAre(Shown(0, 0, 110, "model.py:3"), Shown(0, 110, 130, "model.py:4"),
                          Shown(0, 1000, 1010, "model.py:3")));
}

TEST_F(DerivedTracksOfXla, PartWhereTheGapIsLongAndTheRunIsNotKnown) {
  const auto fusion = op({"fusion.1", "jit_f", "", ""});
  add(fusion, 0, 10);
  add(fusion, 30, 40);    // as far as twice the length before
  add(fusion, 121, 131);  // farther
  const Tracks found = tracks();
  EXPECT_THAT(found.at("XLA Ops"),
              ElementsAre(Shown(0, 0, 40, "fusion.1"), Shown(0, 121, 131, "fusion.1")));
  EXPECT_THAT(found.at("XLA Modules"),
              ElementsAre(Shown(0, 0, 40, "jit_f(7)"), Shown(0, 121, 131, "jit_f(7)")));
}

TEST_F(DerivedTracksOfXla, ShowNothingThatTheProfileDoesNotSay) {
  add(op({"", "", "", "", std::nullopt}), 0, 10);
  EXPECT_THAT(tracks(), IsEmpty());
  add(op({"MatMul:MatMul", "", "MatMul:MatMul", "", std::nullopt}), 20, 30);
  const Tracks found = tracks();
  EXPECT_THAT(found, UnorderedElementsAre(Pair("Framework Ops", SizeIs(1))));
  EXPECT_EQ(std::get<3>(found.at("Framework Ops")[0]), "MatMul");
}

TEST_F(DerivedTracksOfXla, DoNotRepeatLinesOfTheFile) {
  add(op({"fusion.1", "jit_f", "f/add", "model.py:3"}), 0, 10);
  add_run("jit_f", 0, 10);
  name_thread(3, "TensorFlow Ops");
  name_thread(4, "XLA Modules");
  name_thread(5, "Steps");
  builder_.trace().threads[3].pid = builder_.trace().threads[4].pid = "1";
  builder_.trace().threads[5].pid = "2";  // of another device
  std::vector<std::string> names;
  for (const auto& [name, slices] : tracks()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("Framework Name Scope", "Source code", "Steps", "XLA Ops"));
}

TEST_F(DerivedTracksOfXla, GiveModulesThatOverlapRowsOfTheirOwn) {
  const auto f = op({"fusion.1", "jit_f", "", ""}), g = op({"fusion.2", "jit_g", "", ""});
  add(f, 0, 10);
  add(f, 50, 100);
  add(g, 60, 70, kOtherStream);
  add(g, 140, 150, kOtherStream);
  add_run("jit_f", 0, 100);
  add_run("jit_g", 60, 150);
  const Tracks found = tracks();
  EXPECT_THAT(found.at("XLA Modules"),
              ElementsAre(Shown(0, 0, 100, "jit_f(7)"), Shown(1, 60, 150, "jit_g(7)")));
  // Streams stand below each other, even where one would fit into the other.
  EXPECT_THAT(found.at("XLA Ops"),
              ElementsAre(Shown(0, 0, 100, "fusion.1"), Shown(1, 60, 150, "fusion.2")));
  EXPECT_THAT(stack_rows_.at("XLA Ops"), ElementsAre(0, 1));
}

TEST_F(DerivedTracksOfXla, StepsAreWhatTheHostLaunchedInAnIteration) {
  const auto fusion = op({"fusion.1", "jit_f", "", ""});
  for (int i = 0; i < 3; ++i) {
    const std::int64_t at = i * 1000;
    profile_.steps.push_back({text("train"), 0, i, at, at + 500});
    builder_.add("cuda_runtime", "cuLaunchKernel", 0, at + 100, at + 110, i + 1);
    builder_.add("cuda_runtime", "cuLaunchKernel", 0, at + 200, at + 210, i + 11);
    // On the device it runs when the next iteration has begun on the host.
    add(fusion, at + 1100, at + 1200, kStream, i + 1);
    add(fusion, at + 1300, at + 1400, kOtherStream, i + 11);
  }
  add(fusion, 9000, 9100, kStream, 99);  // its launch is not in the profile
  EXPECT_THAT(tracks().at("Steps"),
              ElementsAre(Shown(0, 1100, 1400, "iteration 1"), Shown(0, 2100, 2400, "iteration 2"),
                          Shown(0, 3100, 3400, "iteration 3")));
}

TEST_F(DerivedTracksOfXla, StepsOfModuleRunsAreEachDevicesOwn) {
  constexpr std::uint32_t kOtherDevice = 3;
  builder_.trace().threads[kOtherDevice].pid = "2";
  builder_.trace().threads[kOtherDevice].process_name = "/device:GPU:1";
  name_thread(kOtherDevice, "Stream #1");
  profile_.devices.push_back({});
  profile_.devices[1].kind = trace::XlaDevice::Kind::kGpu;
  const auto fusion = op({"fusion.1", "jit_f", "", ""});
  const auto on_other = op({"fusion.1", "jit_f", "", ""});
  profile_.operators[on_other].device = 1;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t at = i * 1000;
    add(fusion, at, at + 900);
    add_run("jit_f", at, at + 900);
    // The other one runs half a step behind.
    add(on_other, at + 500, at + 1300, kOtherDevice);
    add_run("jit_f", at + 500, at + 1300, 1);
  }
  EXPECT_THAT(tracks().at("Steps"),
              ElementsAre(Shown(0, 0, 900, "iteration 1"), Shown(0, 1000, 1900, "iteration 2"),
                          Shown(0, 2000, 2900, "iteration 3")));
  EXPECT_THAT(tracks("2").at("Steps"),
              ElementsAre(Shown(0, 500, 1300, "iteration 1"), Shown(0, 1500, 2300, "iteration 2"),
                          Shown(0, 2500, 3300, "iteration 3")));
}

TEST_F(DerivedTracksOfXla, ModulesAreJoinedWhereTheListOfRunsIsCut) {
  add(op({"fusion.1", "jit_f", "", ""}), 0, 10);
  add(op({"fusion.2", "jit_g", "", ""}), 20, 30);
  add_run("jit_f", 0, 15);
  profile_.runs_left_out = 1;
  EXPECT_THAT(tracks().at("XLA Modules"),
              ElementsAre(Shown(0, 0, 10, "jit_f(7)"), Shown(0, 20, 30, "jit_g(7)")));
}

TEST_F(DerivedTracksOfXla, NestScopesHoweverDeepTheyClaimToBe) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a/";
  add(op({"x", "jit_f", deep + "add", ""}), 0, 10);
  add(op({"y", "jit_f", "((((/a/b/c", ""}), 10, 20);
  add(op({"z", "jit_f", "////)b//c/", ""}), 20, 30);
  const Tracks found = tracks();
  const std::vector<Shown>& scopes = found.at("Framework Name Scope");
  EXPECT_EQ(scopes.size(), kMostScopes + 2);
  EXPECT_EQ(std::get<0>(scopes.back()), kMostScopes - 1);
}

TEST_F(DerivedTracksOfXla, LeaveOutTheLevelsThatWouldBeTooMany) {
  std::string one, other;
  for (std::size_t i = 0; i < kMostScopes; ++i) one += fmt::format("a{}/", i), other += "b/";
  const auto a = op({"x", "jit_f", one + "add", ""}), b = op({"y", "jit_f", other + "add", ""});
  constexpr std::int64_t kSlices = 200'000;
  for (std::int64_t i = 0; i < kSlices; ++i) add(i % 2 == 0 ? a : b, 10 * i, 10 * i + 5);
  EXPECT_THAT(tracks().at("Framework Name Scope"), SizeIs(7 * kSlices));
}

TEST_F(DerivedTracksOfXla, TakeTimeThatGrowsWithTheSlices) {
  std::vector<std::uint32_t> ops;
  for (int i = 0; i < 10; ++i) {
    ops.push_back(
        op({fmt::format("op.{}", i), "jit_f", fmt::format("f/layer{}/add", i / 3), "m:1"}));
  }
  const auto seconds = [&](int from, int to) {
    for (int i = from; i < to; ++i) add(ops[i % 10], 10 * i, 10 * i + 8);
    builder_.trace().xla = std::make_shared<const trace::XlaProfile>(profile_);
    const NestedTrace nested(builder_);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(xla_derived_tracks(nested.context));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double few = seconds(0, 125'000), many = seconds(125'000, 1'000'000);
  RecordProperty("seconds_of_a_million", fmt::format("{:.3f}", many));
  EXPECT_LT(many, 8 * 6 * few + 0.5);
}

TEST(ScopedOperators, AreReadAsFrameworksWriteThem) {
  const auto scopes = [](std::string_view text) { return read_scoped_operator(text).scopes; };
  EXPECT_THAT(scopes("jit(f)/jit(main)/add:"), ElementsAre("jit(f)", "jit(main)"));
  EXPECT_EQ(read_scoped_operator("jit(f)/jit(main)/add:").name, "jit(f)/jit(main)/add");
  EXPECT_EQ(read_scoped_operator("a/b:MatMul").name, "a/b");
  EXPECT_EQ(read_scoped_operator("file:3/a").name, "file:3/a");
  EXPECT_THAT(scopes("transpose(jvp(a/b))/mul"), ElementsAre("transpose(jvp(a/b))"));
  EXPECT_THAT(scopes("aten__mm"), IsEmpty());
  EXPECT_THAT(scopes(""), IsEmpty());
  EXPECT_THAT(scopes("//"), IsEmpty());
}

TEST(DerivedTracks, AreOfProfilesOfXlaAlone) {
  TraceBuilder builder;
  builder.op("aten::add", 0, 10);
  const NestedTrace nested(builder);
  EXPECT_FALSE(xla_derived_tracks(nested.context));
}

}  // namespace
}  // namespace benchhud::analysis
