#include "analysis/duration_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace benchhud::analysis {
namespace {

TEST(DurationText, ThreeDigitsAndTheUnitThatFits) {
  EXPECT_EQ(duration_text(5.0549502930002745), "5.05 s");
  EXPECT_EQ(duration_text(0.0026456939), "2.65 ms");
  EXPECT_EQ(duration_text(3.51e-5), "35.1 µs");
  EXPECT_EQ(duration_text(8.12e-7), "812 ns");
  EXPECT_EQ(duration_text(0.99951), "1 s");
  EXPECT_EQ(duration_text(120.46), "120 s");
  EXPECT_EQ(duration_text(123456), "123456 s");
  EXPECT_EQ(duration_text(-0.25), "-250 ms");
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(std::nan("")), "unknown");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "unknown");
}

TEST(DurationText, NoPowersOfTen) { EXPECT_EQ(duration_text(2345), "2345 s"); }

}  // namespace
}  // namespace benchhud::analysis
