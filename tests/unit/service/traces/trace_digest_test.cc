#include "service/traces/trace_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "schema/base/column_codec.h"
#include "service/traces/iteration_profile_codec.h"

namespace benchhud::service {
namespace {

using analysis::ProfileSection;
using analysis::ProfileUnit;
using Part = analysis::IterationPart;

TraceDigest example() {
  TraceDigest digest;
  digest.report = R"({"events":3})";
  digest.sections = {{"self CPU time", ProfileUnit::kNs, {{"aten::mm", 12.5, 3}}, 20.0, false, {}},
                     {"counters", ProfileUnit::kCount, {{"", 1, 1}, {"b", -2, 0}}, {}, true, {}}};
  analysis::IterationProfile& iterations = digest.iterations;
  iterations.found_by = "step_marks";
  iterations.count = 4;
  iterations.length = 4000;
  iterations.of(Part::kExecuting) = {1600, 1700, ""};
  iterations.of(Part::kWaiting) = {{}, {}, "The profile has no events of the host."};
  iterations.busy = 1600;
  iterations.operators.where = analysis::FrameworkOperators::Where::kDevice;
  iterations.operators.rows = {{"aten::mm", 1500, 3}};
  iterations.operators.without_operator = {"", 500, 1};
  iterations.operators.unknown = "Not named.";
  iterations.operators.total = 2000;
  iterations.operators.in_iterations = 1600;
  iterations.operators.device_count = 2;
  iterations.operators.names_triton_kernels = true;
  iterations.top_class = "gemm";
  iterations.top_share = 0.75;
  iterations.peak_memory = 1 << 20;
  iterations.peak_memory_of = analysis::PeakMemoryOf::kPytorchCpu;
  iterations.peak_reserved = 1 << 21;
  iterations.memory.devices = {{1, 0, 3, 2, 1 << 20, -7, {}}, {1, 1, 0, 0, {}, {}, 1 << 21}};
  iterations.memory.events_left_out = 4;
  iterations.iterations = {{-5, 1000, {}, 400}, {995, 3000, {}, {}}};
  iterations.iterations[0].parts = {0, 400, {}, {}, 100, 500};
  return digest;
}

TEST(TraceDigest, DecodesWhatWasEncoded) {
  const auto decoded = decode_digest(encode_digest(example()));
  ASSERT_TRUE(decoded && *decoded) << decoded.error().message;
  EXPECT_EQ((*decoded)->report, example().report);
  ASSERT_EQ((*decoded)->sections.size(), 2U);
  const ProfileSection& time = (*decoded)->sections[0];
  EXPECT_EQ(time.of, "self CPU time");
  EXPECT_EQ(time.unit, ProfileUnit::kNs);
  EXPECT_EQ(time.total, 20.0);
  EXPECT_FALSE(time.overlaps);
  ASSERT_EQ(time.items.size(), 1U);
  EXPECT_EQ(time.items[0].name, "aten::mm");
  EXPECT_EQ(time.items[0].amount, 12.5);
  EXPECT_EQ(time.items[0].calls, 3);
  const ProfileSection& counters = (*decoded)->sections[1];
  EXPECT_EQ(counters.total, std::nullopt);
  EXPECT_TRUE(counters.overlaps);
  ASSERT_EQ(counters.items.size(), 2U);
  EXPECT_EQ(counters.items[1].amount, -2);
}

TEST(TraceDigest, KeepsWhereItsIterationsGo) {
  const auto decoded = decode_digest(encode_digest(example()));
  ASSERT_TRUE(decoded && *decoded);
  const analysis::IterationProfile& iterations = (*decoded)->iterations;
  EXPECT_EQ(iterations.found_by, "step_marks");
  EXPECT_EQ(iterations.count, 4);
  EXPECT_EQ(iterations.length, 4000);
  EXPECT_EQ(iterations.of(Part::kExecuting).time, 1600);
  EXPECT_EQ(iterations.of(Part::kExecuting).with_overlap, 1700);
  EXPECT_EQ(iterations.of(Part::kWaiting).time, std::nullopt);
  EXPECT_EQ(iterations.of(Part::kWaiting).unknown, "The profile has no events of the host.");
  EXPECT_EQ(iterations.busy, 1600);
  EXPECT_EQ(iterations.operators.where, analysis::FrameworkOperators::Where::kDevice);
  ASSERT_EQ(iterations.operators.rows.size(), 1U);
  EXPECT_EQ(iterations.operators.rows[0].name, "aten::mm");
  EXPECT_EQ(iterations.operators.rows[0].time, 1500);
  EXPECT_EQ(iterations.operators.without_operator.time, 500);
  EXPECT_EQ(iterations.operators.in_iterations, 1600);
  EXPECT_EQ(iterations.operators.device_count, 2);
  EXPECT_TRUE(iterations.operators.names_triton_kernels);
  EXPECT_EQ(iterations.top_class, "gemm");
  EXPECT_EQ(iterations.top_share, 0.75);
  EXPECT_EQ(iterations.compiling, std::nullopt);
  EXPECT_EQ(iterations.peak_memory, 1 << 20);
  EXPECT_EQ(iterations.peak_memory_of, analysis::PeakMemoryOf::kPytorchCpu);
  EXPECT_EQ(iterations.peak_reserved, 1 << 21);
  EXPECT_EQ(iterations.memory, example().iterations.memory);
  ASSERT_EQ(iterations.iterations.size(), 2U);
  EXPECT_EQ(iterations.iterations[0].begin, -5);
  EXPECT_EQ(iterations.iterations[0].duration, 1000);
  EXPECT_EQ(iterations.iterations[0].parts, example().iterations.iterations[0].parts);
  EXPECT_EQ(iterations.iterations[0].busy, 400);
  EXPECT_EQ(iterations.iterations[1].busy, std::nullopt);
}

TEST(TraceDigest, IsNoneWhereAnOlderProgramMadeIt) {
  const auto decoded = decode_digest(R"({"version":3,"report":{},"sections":[]})");
  ASSERT_TRUE(decoded);
  EXPECT_FALSE(decoded->has_value());
}

TEST(TraceDigest, IsDamagedWhereverItIsCutOffOrGoesOn) {
  const std::string bytes = encode_digest(example());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto decoded = decode_digest(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(decoded) << size;
    EXPECT_EQ(decoded.error().code, schema::ErrorCode::kCorrupt);
  }
  EXPECT_FALSE(decode_digest(bytes + "x"));
}

TEST(TraceDigest, RefusesCountsAndUnitsThatCannotBe) {
  schema::ColumnWriter bytes;
  bytes.put(static_cast<unsigned char>(encode_digest(example())[0]));
  put_iteration_profile(bytes, {});
  bytes.put(0);
  bytes.put(std::uint64_t{1} << 60);
  EXPECT_FALSE(decode_digest(bytes.bytes()));
  std::string where = encode_digest(example());
  where[where.find("aten::mm") - 3] = 9;
  EXPECT_FALSE(decode_digest(where)) << "operators ran nowhere that there is";
  std::string unit = encode_digest(example());
  unit[unit.find("self CPU time") + std::string("self CPU time").size()] = 9;
  EXPECT_FALSE(decode_digest(unit));
}

TEST(TraceDigest, KeepsTheLargestItemsAndTheSumOfTheRest) {
  trace::Trace trace;
  trace.threads.resize(1);
  for (std::int64_t i = 0; i < 3000; ++i) {
    trace::TraceSlice slice;
    slice.start = i * 10'000;
    slice.duration = i + 1;
    slice.label = trace.put_label(
        {trace.texts.put("operator " + std::to_string(i)), trace.texts.put("cpu_op")});
    trace.slices.push_back(slice);
  }
  const auto digest = decode_digest(summarize_trace(trace, trace::nest(trace)).digest);
  ASSERT_TRUE(digest && *digest);
  EXPECT_EQ(nlohmann::json::parse((*digest)->report).at("events"), trace.events);
  double sum = 0;
  for (const ProfileSection& section : (*digest)->sections) {
    EXPECT_LE(section.items.size(), kMostItems + 1);
    for (const auto& item : section.items) {
      if (section.unit == ProfileUnit::kNs) sum += item.amount;
    }
  }
  EXPECT_EQ(sum, 3000.0 * 3001 / 2) << "nothing is lost";
}

}  // namespace
}  // namespace benchhud::service
