#include "analysis/text/quantity_text.h"

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

TEST(DurationText, OfNanosecondsIsTheSame) {
  for (const double ns : {0.0, 1.0, 812.0, 35'100.0, 999'600.0, -12e6, 1.2345e9}) {
    EXPECT_EQ(nanoseconds_text(ns), duration_text(ns / 1e9));
  }
  EXPECT_EQ(nanoseconds_text(std::int64_t{35'100}), "35.1 µs");
  EXPECT_EQ(nanoseconds_text(std::int64_t{5}), "5 ns");
}

TEST(ShareText, OneDigitBehindThePoint) {
  EXPECT_EQ(share_text(0), "0.0 %");
  EXPECT_EQ(share_text(0.07477), "7.5 %");
  EXPECT_EQ(share_text(1), "100.0 %");
  EXPECT_EQ(share_text(-0.5), "-50.0 %");
  EXPECT_EQ(share_text(std::nan("")), "unknown");
}

TEST(BytesText, ThreeDigitsAndTheUnitThatFits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(2'428'808), "2.43 MB");
  EXPECT_EQ(bytes_text(999'600'000), "1 GB");
  EXPECT_EQ(bytes_text(6'629'508'096), "6.63 GB");
  EXPECT_EQ(bytes_text(INT64_MAX), "9223372 TB");
  EXPECT_EQ(bytes_text(std::nullopt), "unknown");
}

TEST(CountText, OneIsNoPlural) {
  EXPECT_EQ(count_text(0, "kernel"), "0 kernels");
  EXPECT_EQ(count_text(1, "kernel"), "1 kernel");
  EXPECT_EQ(count_text(2, "kernel"), "2 kernels");
}

}  // namespace
}  // namespace benchhud::analysis
