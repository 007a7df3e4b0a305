#include "analysis/profiles/profile_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace benchhud::analysis {
namespace {

using schema::CompileTimes;
using schema::IrModule;
using testing::DoubleNear;
using testing::IsEmpty;
using testing::SizeIs;

const SectionDifference& section(const std::vector<SectionDifference>& differences,
                                 std::string_view of) {
  const auto found = std::find_if(differences.begin(), differences.end(),
                                  [&](const SectionDifference& one) { return one.of == of; });
  EXPECT_NE(found, differences.end()) << of;
  return *found;
}

const ProfileChange& change(const SectionDifference& section, std::string_view name) {
  const auto& changes = section.difference.changes;
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [&](const ProfileChange& one) { return one.name == name; });
  EXPECT_NE(found, changes.end()) << name;
  return *found;
}

TEST(ProfileSections, TablesCountAsTheirMean) {
  schema::OperatorTable table;
  table.columns = {{"Name", schema::OperatorColumn::Kind::kText},
                   {"Self CPU", schema::OperatorColumn::Kind::kTime},
                   {"# of Calls", schema::OperatorColumn::Kind::kNumber}};
  table.rows = {{{"a", {}}, {"", 100.0}, {"", 2.0}}};
  table.totals = {{"Self CPU time total", 140.0}};
  schema::OperatorTable second = table;
  second.rows[0][1].value = 300;
  second.totals[0].second = 360;
  const auto sections = profile_sections(std::vector{table, second});
  ASSERT_THAT(sections, SizeIs(1));
  EXPECT_EQ(sections[0].of, "self CPU time");
  EXPECT_EQ(sections[0].unit, ProfileUnit::kNs);
  EXPECT_EQ(sections[0].total, 250);
  const auto same = compare_sections(sections, sections);
  EXPECT_EQ(same[0].difference.before, 250);
  EXPECT_THAT(same[0].difference.changes, IsEmpty());
  EXPECT_THAT(profile_sections(std::vector<schema::OperatorTable>()), IsEmpty());
}

schema::OperatorTable device_table(std::vector<std::tuple<std::string, double, double>> rows,
                                   std::optional<double> total) {
  schema::OperatorTable table;
  table.columns = {{"Name", schema::OperatorColumn::Kind::kText},
                   {"Self CPU", schema::OperatorColumn::Kind::kTime},
                   {"CPU total", schema::OperatorColumn::Kind::kTime},
                   {"Self XPU", schema::OperatorColumn::Kind::kTime},
                   {"# of Calls", schema::OperatorColumn::Kind::kNumber}};
  double cpu = 0;
  for (const auto& [name, host, device] : rows) {
    table.rows.push_back({{name, {}}, {"", host}, {"", host}, {"", device}, {"", 1.0}});
    cpu += host;
  }
  table.totals = {{"Self CPU time total", cpu}};
  if (total) table.totals.emplace_back("Self XPU time total", *total);
  return table;
}

SectionDifference device_difference(const schema::OperatorTable& before,
                                    const schema::OperatorTable& after) {
  return section(
      compare_sections(profile_sections(std::vector{before}), profile_sections(std::vector{after})),
      "self XPU time");
}

TEST(ProfileSections, KernelsAreNotCountedAgainWithTheirOperators) {
  const auto table = [](double ns) {
    return device_table({{"aten::mm", 100, ns}, {"tile_gemm_kernel", 0, ns}}, ns);
  };
  const SectionDifference device = device_difference(table(800), table(1600));
  ASSERT_THAT(device.difference.changes, SizeIs(1));
  EXPECT_EQ(device.difference.changes[0].name, "tile_gemm_kernel");
  EXPECT_EQ(device.difference.changes[0].share, 1);
  EXPECT_EQ(device.difference.unexplained, 0);
  EXPECT_EQ(device.difference.after - device.difference.before, 800);
}

TEST(ProfileSections, TheDevicesSideOfAnAnnotationIsNoPart) {
  // The total counts kernels; a Triton kernel may be called as its launcher is.
  const auto table = [](double mm, double triton) {
    return device_table({{"ProfilerStep*", 300, 0},
                         {"aten::mm", 100, mm},
                         {"triton_add", 50, triton},
                         {"ProfilerStep*", 0, mm + triton},
                         {"gemm", 0, mm},
                         {"triton_add", 0, triton}},
                        mm + triton);
  };
  const SectionDifference device = device_difference(table(700, 200), table(800, 200));
  ASSERT_THAT(device.difference.changes, SizeIs(1));
  EXPECT_EQ(device.difference.changes[0].name, "gemm");
  EXPECT_EQ(device.difference.unexplained, 0);
}

TEST(ProfileSections, OperatorsStandForKernelsThatHaveNoRows) {
  const auto table = [](double ns) { return device_table({{"aten::mm", 100, ns}}, ns); };
  const SectionDifference device = device_difference(table(800), table(900));
  EXPECT_EQ(change(device, "aten::mm").after, 900);
  EXPECT_EQ(device.difference.unexplained, 0);
}

TEST(ProfileSections, RowsThatAreMoreThanTheTotalLeaveNoRest) {
  const auto table = [](double ns) {
    return device_table({{"op", 1, ns}, {"a", 0, ns}, {"b", 0, ns}}, ns);
  };
  const SectionDifference device = device_difference(table(800), table(900));
  EXPECT_EQ(device.difference.after - device.difference.before, 100);
  EXPECT_EQ(device.difference.unexplained, 0) << "they contain each other, nobody knows how";
}

TEST(ProfileSections, UnlikeCountsHaveNoSum) {
  const schema::DynamoCounters before = {{{"frames", {{"total", 3}, {"ok", 3}}}}};
  const schema::DynamoCounters after = {{{"frames", {{"total", 5}, {"ok", 4}}}}};
  const auto differences = compare_sections(profile_sections(before), profile_sections(after));
  EXPECT_FALSE(section(differences, "counters").has_total);
  EXPECT_EQ(change(section(differences, "counters"), "frames: total").share, std::nullopt);
  EXPECT_FALSE(section(compare_sections(profile_sections(std::vector<IrModule>{IrModule()}),
                                        profile_sections(std::vector<IrModule>{IrModule()})),
                       "counts")
                   .has_total);
}

TEST(ProfileSections, ASectionThatOneSideLacks) {
  const std::vector<ProfileSection> host = {{"host", ProfileUnit::kNs, {{"a", 1, 1}}, {}}};
  std::vector<ProfileSection> both = host;
  both.push_back({"device", ProfileUnit::kNs, {{"k", 5, 1}}, 7.0});
  both.push_back({"empty", ProfileUnit::kCount, {}, {}});
  const auto differences = compare_sections(host, both);
  ASSERT_THAT(differences, SizeIs(2));
  EXPECT_EQ(differences[1].of, "device");
  EXPECT_EQ(differences[1].unit, ProfileUnit::kNs);
  EXPECT_EQ(change(differences[1], "k").kind, ProfileChange::Kind::kAppeared);
  EXPECT_EQ(differences[1].difference.after, 5) << "the total of one side alone does not count";
}

TEST(ProfileSections, CompileTimesAreOfTheOutermostFunction) {
  const CompileTimes before = {{{"_compile.compile_inner", {2.0, 1.0}},
                                {"compile_fx_inner", {1.5, 0.5}},
                                {"backward._backward_impl", {1.0}}}};
  const CompileTimes after = {{{"_compile.compile_inner", {5.0}},
                               {"compile_fx_inner", {4.0}},
                               {"backward._backward_impl", {1.0}}}};
  const auto differences = compare_sections(profile_sections(before), profile_sections(after));
  const SectionDifference& times = section(differences, "time by function");
  EXPECT_EQ(times.unit, ProfileUnit::kNs);
  EXPECT_DOUBLE_EQ(times.difference.before, 4e9);
  EXPECT_DOUBLE_EQ(times.difference.after, 6e9);
  EXPECT_EQ(times.difference.unexplained, 0) << "functions overlap";
  const ProfileChange& inner = change(times, "compile_fx_inner");
  EXPECT_DOUBLE_EQ(inner.after - inner.before, 2e9);
  EXPECT_THAT(*inner.share, DoubleNear(1, 1e-12));
  EXPECT_EQ(inner.calls_before, 2);
  EXPECT_EQ(inner.calls_after, 1);
  // Without a name that is known, the longest stands for all; nothing has none.
  const CompileTimes unknown = {{{"x", {1.0}}, {"y", {3.0}}}};
  const auto from_nothing =
      compare_sections(profile_sections(CompileTimes()), profile_sections(unknown));
  ASSERT_THAT(from_nothing, SizeIs(1));
  EXPECT_DOUBLE_EQ(from_nothing[0].difference.before, 0);
  EXPECT_DOUBLE_EQ(from_nothing[0].difference.after, 3e9);
}

IrModule module(std::string name) {
  IrModule result;
  result.name = std::move(name);
  result.parameters = {{"p", "f32[4]"}};
  result.parameter_bytes = 16;
  result.computation_count = 2;
  result.instruction_count = 5;
  result.ops = {{"add", 3}, {"fusion", 1}, {"dot", 1}};
  result.fusion_kinds = {{"kLoop", 1}};
  result.contractions = {{"dot", {"f32[2,3]", "f32[3,4]"}, "f32[2,4]", "x={1}", 1}};
  return result;
}

TEST(ProfileSections, IrModulesAreSummed) {
  const std::vector<IrModule> before = {module("IrToHlo.12"), module("jit_f")};
  std::vector<IrModule> after = {module("IrToHlo.14"), module("IrToHlo.99"), module("")};
  after[1].ops = {{"add", 1}};
  after[1].contractions[0].operands[0] = "f32[7,3]";
  after[1].contractions[0].count = 2;
  after[2].is_unfinished = true;
  after[2].parameter_bytes.reset();
  after[2].fusion_kinds = {{"kInput", 2}};
  after[2].custom_calls = {{"Sharding", 4}};
  const auto differences = compare_sections(profile_sections(before), profile_sections(after));

  EXPECT_EQ(change(section(differences, "counts"), "modules").after, 3);
  EXPECT_EQ(change(section(differences, "counts"), "unfinished modules").after, 1);
  EXPECT_EQ(change(section(differences, "counts"), "computations").after, 6);
  const SectionDifference& names = section(differences, "modules");
  EXPECT_EQ(change(names, "IrToHlo").before, 1) << "whatever its size";
  EXPECT_EQ(change(names, "IrToHlo").after, 2);
  EXPECT_EQ(change(names, "jit_f").kind, ProfileChange::Kind::kGone);
  EXPECT_EQ(change(names, "(no name)").kind, ProfileChange::Kind::kAppeared);
  const SectionDifference& operations = section(differences, "operations");
  EXPECT_THAT(operations.difference.changes, SizeIs(1)) << "fusion and dot are as many as before";
  EXPECT_EQ(change(operations, "add").after, 7);
  const SectionDifference& fusions = section(differences, "fusions");
  EXPECT_EQ(change(fusions, "kInput").after, 2);
  const SectionDifference& dots = section(differences, "convolutions and dots");
  EXPECT_EQ(change(dots, "dot(f32[7,3], f32[3,4]) → f32[2,4], x={1}").after, 2);
  EXPECT_THAT(dots.difference.changes, SizeIs(1));
  EXPECT_EQ(change(section(differences, "custom calls"), "Sharding").after, 4);
  const SectionDifference& sizes = section(differences, "size of parameters");
  EXPECT_EQ(sizes.unit, ProfileUnit::kBytes);
  EXPECT_EQ(change(sizes, "IrToHlo").after, 32);
  EXPECT_EQ(unit_name(sizes.unit), "bytes");
}

TEST(ProfileSections, MetricsContainEachOtherAndKeepTheirUnits) {
  using Kind = schema::MetricValue::Kind;
  const auto report = [](double transfer, double bytes) {
    schema::MetricsReport made;
    const auto add = [&](const char* name, Kind kind, double value) {
      schema::XlaMetric metric;
      metric.name = name;
      metric.total_samples = 2;
      metric.accumulator = schema::MetricValue{kind, value, ""};
      made.metrics.push_back(metric);
    };
    add("TensorToData", Kind::kTime, 10 + transfer);
    add("TransferToDeviceTime", Kind::kTime, transfer);
    add("InboundData", Kind::kBytes, bytes);
    add("TensorsGraphSize", Kind::kNumber, 7);
    return profile_sections(made);
  };
  const auto differences = compare_sections(report(5, 1024), report(8, 4096));
  const SectionDifference& times = section(differences, "time of metrics");
  EXPECT_FALSE(times.has_total);
  EXPECT_EQ(times.difference.unexplained, 0);
  EXPECT_EQ(change(times, "TransferToDeviceTime").share, std::nullopt);
  const SectionDifference& sizes = section(differences, "size of metrics");
  EXPECT_EQ(sizes.unit, ProfileUnit::kBytes);
  EXPECT_EQ(change(sizes, "InboundData").after, 4096);
  const SectionDifference& others = section(differences, "other metrics");
  EXPECT_EQ(others.unit, ProfileUnit::kCount);
  EXPECT_THAT(others.difference.changes, IsEmpty());
}

TEST(ProfileSections, SumsOfSeveralDumps) {
  std::vector<ProfileSection> sum;
  add_sections({{"ops", ProfileUnit::kCount, {{"add", 2, 2}, {"dot", 1, 1}}, 3.0}}, &sum);
  add_sections({{"ops", ProfileUnit::kCount, {{"add", 5, 5}, {"sin", 1, 1}}, 6.0},
                {"bytes", ProfileUnit::kBytes, {{"p", 8, 1}}, {}}},
               &sum);
  ASSERT_THAT(sum, SizeIs(2));
  EXPECT_EQ(sum[0].total, 9.0);
  ASSERT_THAT(sum[0].items, SizeIs(3));
  EXPECT_EQ(sum[0].items[0].amount, 7);
  EXPECT_EQ(sum[0].items[2].name, "sin");
  EXPECT_EQ(sum[1].unit, ProfileUnit::kBytes);
}

TEST(ProfileSections, CountersHaveTheirGroup) {
  const schema::DynamoCounters counters = {{{"graph_break", {{"print", 2}}}, {"inline_call", {}}}};
  const auto sections = profile_sections(counters);
  ASSERT_THAT(sections, SizeIs(1));
  ASSERT_THAT(sections[0].items, SizeIs(1));
  EXPECT_EQ(sections[0].items[0].name, "graph_break: print");
  EXPECT_EQ(sections[0].items[0].amount, 2);
}

}  // namespace
}  // namespace benchhud::analysis
