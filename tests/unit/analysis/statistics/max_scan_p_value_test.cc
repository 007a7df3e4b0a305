#include "analysis/statistics/max_scan_p_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFewest = 3;

double two_sided(double level) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), level));
}

// The largest standardized difference of means over all cuts of so many independent normal nights.
double largest_difference(std::size_t nights, std::mt19937_64* random) {
  std::normal_distribution<double> normal;
  std::vector<double> sums{0};
  for (std::size_t i = 0; i < nights; ++i) sums.push_back(sums.back() + normal(*random));
  const auto n = static_cast<double>(nights);
  double largest = 0;
  for (std::size_t cut = kFewest; cut + kFewest <= nights; ++cut) {
    const auto before = static_cast<double>(cut);
    const double by = (sums.back() - sums[cut]) / (n - before) - sums[cut] / before;
    largest = std::max(largest, std::abs(by) / std::sqrt(1 / before + 1 / (n - before)));
  }
  return largest;
}

TEST(SearchedPValue, AgreesWithSimulation) {
  constexpr std::size_t kNights = 100, kSeries = 60'000;
  std::mt19937_64 random(11);
  std::vector<double> largest(kSeries);
  for (double& one : largest) one = largest_difference(kNights, &random);
  for (const double level : {2.5, 3.0, 3.5, 4.0}) {
    const auto above = std::count_if(largest.begin(), largest.end(),
                                     [&](double difference) { return difference >= level; });
    const double simulated = static_cast<double>(above) / kSeries;
    EXPECT_NEAR(max_scan_p_value(two_sided(level), kNights, kFewest) / simulated, 1, 0.15)
        << "level " << level << ", simulated " << simulated;
  }
}

TEST(SearchedPValue, GrowsWithThePValueAndWithTheSearch) {
  double before = 0;
  for (double p_value = 1e-300; p_value < 0.3; p_value *= 5) {
    const double searched = max_scan_p_value(p_value, 100, kFewest);
    EXPECT_GT(searched, before) << p_value;
    EXPECT_GE(searched, p_value);
    before = searched;
  }
  before = 0;
  for (const double nights : {10.0, 20.0, 50.5, 100.0, 1000.0, 1e6}) {
    const double searched = max_scan_p_value(1e-4, nights, kFewest);
    EXPECT_GT(searched, before) << nights;
    before = searched;
  }
  EXPECT_LT(max_scan_p_value(1e-4, 100, 10), max_scan_p_value(1e-4, 100, 1));
  EXPECT_EQ(max_scan_p_value(1e-4, 100, 0), max_scan_p_value(1e-4, 100, 1));
}

TEST(SearchedPValue, StaysAProbabilityAndNoSmallerThanWhatItIsMadeOf) {
  for (const double nights : {1.0, 5.0, 6.0, 7.0, 100.0, 1e7}) {
    for (const double p_value : {1e-310, 1e-20, 1e-3, 0.3, 0.9, 1.0, 2.0}) {
      const double searched = max_scan_p_value(p_value, nights, kFewest);
      EXPECT_GE(searched, std::min(p_value, 1.0)) << nights << " " << p_value;
      EXPECT_LE(searched, 1) << nights << " " << p_value;
    }
    // Too small for a double, which is not the same as impossible.
    EXPECT_GT(max_scan_p_value(0, nights, kFewest), 0);
    EXPECT_LT(max_scan_p_value(0, nights, kFewest), 1e-290);
  }
  // With one place to cut there is nothing to pay for.
  EXPECT_EQ(max_scan_p_value(0.01, 6, kFewest), 0.01);
}

}  // namespace
}  // namespace benchhud::analysis
