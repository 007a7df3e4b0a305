// What `[memory]` events add up to, whatever their arguments are.
#include "trace/memory/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schema/base/utf8.h"

namespace benchhud::trace {
namespace {

using testing::HasSubstr;

std::string event(const std::string& type, const std::string& number, const std::string& bytes,
                  const std::string& allocated, const std::string& reserved) {
  return R"({"Device Type": )" + type + R"(, "Device Id": )" + number + R"(, "Bytes": )" + bytes +
         R"(, "Total Allocated": )" + allocated + R"(, "Total Reserved": )" + reserved + "}";
}

TEST(MemorySums, KeepsThePeaksOfEachDevice) {
  MemorySums sums;
  EXPECT_EQ(sums.add(10, event("1", "1", "512", "900", "2000")), "");
  EXPECT_EQ(sums.add(30, event("1", "1", "100", "1000", "2000")), "");
  EXPECT_EQ(sums.add(20, event("1", "1", "-100", "1000", "1500")), "");
  EXPECT_EQ(sums.add(40, event("1", "1", "-512", "400", "2000")), "");
  EXPECT_EQ(sums.add(50, event("1", "0", "8", "8", "64")), "");
  EXPECT_EQ(sums.add(60, event("0", "-1", "4", "4", "0")), "");
  const DeviceMemory cpu = {0, -1, 1, 0, 4, 60, {}};
  const DeviceMemory first = {1, 0, 1, 0, 8, 50, 64};
  const DeviceMemory second = {1, 1, 2, 2, 1000, 20, 2000};
  EXPECT_THAT(sums.sums().devices, testing::ElementsAre(cpu, first, second));
  EXPECT_EQ(sums.sums().events_left_out, 0);
  EXPECT_EQ(name_of_device(cpu), "cpu");
  EXPECT_EQ(name_of_device(second), "cuda:1");
}

TEST(MemorySums, TakeEventsOfTheSameArgumentsAtOnce) {
  MemorySums one_by_one, at_once;
  for (const std::string& args :
       {event("1", "1", "512", "900", "2000"), event("1", "1", "-8", "900", "0"), std::string("[]"),
        event("99999", "1", "8", "8", "8")}) {
    for (const std::int64_t time : {7, 30, 31}) one_by_one.add(time, args);
    at_once.add(7, args, 3);
  }
  EXPECT_EQ(at_once.sums(), one_by_one.sums());
  EXPECT_EQ(at_once.sums().events_left_out, 6);
}

TEST(MemorySums, AreTheSameInAnyOrder) {
  MemorySums forth, back;
  const auto of = [](int i) {
    return event("1", std::to_string(i % 3), "1", std::to_string(i % 5), "9");
  };
  for (int i = 0; i < 30; ++i) forth.add(i, of(i));
  for (int i = 29; i >= 0; --i) back.add(i, of(i));
  EXPECT_EQ(forth.sums(), back.sums());
}

TEST(MemorySums, DoNotKnowWhatNoEventSays) {
  MemorySums sums;
  EXPECT_EQ(sums.add(1, R"({"Device Type": 1, "Device Id": 0, "Bytes": 4096})"), "")
      << "the form of 2021";
  ASSERT_EQ(sums.sums().devices.size(), 1U);
  EXPECT_EQ(sums.sums().devices[0].allocations, 1);
  EXPECT_EQ(sums.sums().devices[0].peak_allocated, std::nullopt);
  EXPECT_EQ(sums.sums().devices[0].peak_reserved, std::nullopt);
}

TEST(MemorySums, SayWhichValueCannotBe) {
  for (const char* value : {"-5", "1.5", "\"12\"", "[1]", "null", "true", "9223372036854775807",
                            "18446744073709551615", "1e300"}) {
    MemorySums sums;
    EXPECT_THAT(sums.add(1, event("1", "0", "8", value, "64")), HasSubstr("Total Allocated"))
        << value;
    ASSERT_EQ(sums.sums().devices.size(), 1U) << value;
    EXPECT_EQ(sums.sums().devices[0].peak_allocated, std::nullopt) << value;
    EXPECT_EQ(sums.sums().devices[0].peak_reserved, 64) << value << ": the rest counts";
  }
}

TEST(MemorySums, ShowWholeCharactersOfWhatCannotBe) {
  std::string text = "\"";
  for (int i = 0; i < 40; ++i) text += "é";
  text += '"';
  for (const std::string& value : {text, "[" + text + "]"}) {
    const std::string problem = MemorySums().add(1, event("1", "0", "8", value, "64"));
    EXPECT_THAT(problem, HasSubstr("éé, which cannot be"));
    EXPECT_EQ(schema::to_valid_utf8(problem), problem) << problem;
  }
}

TEST(MemorySums, LeaveOutEventsOfNoDevice) {
  MemorySums sums;
  int count = 0;
  const auto is_refused = [&](const std::string& args) {
    EXPECT_NE(sums.add(1, args), "") << args;
    EXPECT_TRUE(sums.sums().devices.empty()) << args;
    EXPECT_EQ(sums.sums().events_left_out, ++count) << args;
  };
  is_refused("");
  is_refused("{}");
  is_refused("[1, 2]");
  is_refused(R"({"Device Type": 1, "Total Allocated": 5})");
  is_refused(R"({"Device Type": 1, "Device Id": 0, "Total Allocated": NaN})");
  is_refused(event("-1", "0", "8", "8", "8"));
  is_refused(event("1", "-2", "8", "8", "8"));
  is_refused(event("\"cuda\"", "0", "8", "8", "8"));
  is_refused(event("1", "99999999999999999999", "8", "8", "8"));
  is_refused(std::string(100'000, '['));
}

TEST(MemorySums, KeepOnlySoManyDevices) {
  MemorySums sums;
  const int most = static_cast<int>(MemoryByDevice::kMostDevices);
  for (int i = 0; i < most + 10; ++i) sums.add(i, event("1", std::to_string(i), "8", "8", "8"));
  EXPECT_EQ(sums.sums().devices.size(), MemoryByDevice::kMostDevices);
  EXPECT_EQ(sums.sums().events_left_out, 10);
  sums.add(0, event("1", "3", "8", "800", "8"));
  EXPECT_EQ(sums.sums().devices[3].peak_allocated, 800) << "one that is kept goes on";
}

TEST(DeviceMemory, NamesTypesThatAreNotKnownHere) {
  EXPECT_EQ(name_of_device({20, 0, 0, 0, {}, {}, {}}), "privateuseone:0");
  EXPECT_EQ(name_of_device({21, 0, 0, 0, {}, {}, {}}), "device type 21:0");
}

}  // namespace
}  // namespace benchhud::trace
