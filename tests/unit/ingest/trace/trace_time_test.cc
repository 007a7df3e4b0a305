#include "ingest/trace/trace_time.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace benchhud::ingest {
namespace {

TEST(TraceTime, IsExact) {
  EXPECT_EQ(microseconds_to_ns("1700000000000000.123"), 1700000000000000123);
  EXPECT_EQ(microseconds_to_ns("1700000000000001"), 1700000000000001000);
  EXPECT_EQ(microseconds_to_ns("0"), 0);
  EXPECT_EQ(microseconds_to_ns("-12.5"), -12500);
  EXPECT_EQ(microseconds_to_ns("1.5e3"), 1500000);
  EXPECT_EQ(microseconds_to_ns("1.7E+15"), 1700000000000000000);
  EXPECT_EQ(microseconds_to_ns("2500e-3"), 2500);
  EXPECT_EQ(microseconds_to_ns("0.0004"), 0);
  EXPECT_EQ(microseconds_to_ns("0.0005"), 1);
  EXPECT_EQ(microseconds_to_ns("3.00049999"), 3000);
  EXPECT_EQ(microseconds_to_ns("1e-300"), 0);
  EXPECT_EQ(microseconds_to_ns("0e900"), 0);
  EXPECT_EQ(microseconds_to_ns("9223372036854775.807"), 9223372036854775807);
  EXPECT_EQ(microseconds_to_ns("1." + std::string(5000, '0')), 1000);
  EXPECT_EQ(microseconds_to_ns("0." + std::string(5000, '0') + "1"), 0);
  EXPECT_EQ(microseconds_to_ns(std::string(5000, '0') + "1"), 1000);
  for (const char* text : {"", "-", ".", "e3", "1e", "1e+", "1x", "N/A", "NaN", "Infinity", "0x10",
                           "1 ", "9223372036854775.808", "1e17", "1e99999999999", "--1"}) {
    EXPECT_EQ(microseconds_to_ns(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace benchhud::ingest
