#include "analysis/statistics/max_scan_p_value.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "analysis/statistics/boost_math_policy.h"

namespace benchhud::analysis {
namespace {

const boost::math::normal_distribution<double, DoublePolicy> kNormal;

// How much less a process exceeds a level that is looked at in steps: 1 for small ones.
double overshoot(double x) {
  if (x < 1e-8) return 1;
  const double half = x / 2;
  const double above = boost::math::cdf(kNormal, half);
  return (2 / x) * (above - 0.5) / (half * above + boost::math::pdf(kNormal, half));
}

}  // namespace

double max_scan_p_value(double p_value, double nights, std::size_t fewest) {
  // One that was too small for a double has no quantile: it counts as the smallest there is.
  p_value = std::max(p_value, std::numeric_limits<double>::min());
  const double from = static_cast<double>(std::max<std::size_t>(fewest, 1)) / nights;
  if (!(p_value < 1) || !(from < 0.5)) return std::min(p_value, 1.0);
  const double level = boost::math::quantile(boost::math::complement(kNormal, p_value / 2));
  // The integral of ν(b / √(n t (1 − t))) / (t (1 − t)) over the cuts t, a share of the nights, in
  // u = ln(t / (1 − t)), whose differential is dt / (t (1 − t)); even in u. Simpson's rule.
  constexpr int kSteps = 16;
  const double end = std::log((1 - from) / from);
  double integral = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = 1 / (1 + std::exp(-end * i / kSteps));
    const double share = overshoot(level / std::sqrt(nights * t * (1 - t)));
    integral += (i == 0 || i == kSteps ? 1 : (i % 2 == 1 ? 4 : 2)) * share;
  }
  integral *= 2 * end / kSteps / 3;
  return std::clamp(level * boost::math::pdf(kNormal, level) * integral, p_value, 1.0);
}

}  // namespace benchhud::analysis
