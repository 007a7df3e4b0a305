#include "analysis/level_shift_test.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace benchhud::analysis {
namespace {

constexpr int kCorrelations = 20;  // tried: 0, 0.05, …, 0.95
constexpr double kStep = 0.05;
// Of the degrees of freedom that a known correlation would leave: it is chosen to fit, and where it
// comes out too small by chance the step looks surest. By simulation (`./dev eval`, calibration).
constexpr double kDegreesShare = 0.5;

// Squares left of a weighted regression on two columns, fed row by row.
class TwoColumns {
 public:
  void add(double x, double z, double y, double weight) {
    xx_ += weight * x * x;
    xz_ += weight * x * z;
    zz_ += weight * z * z;
    xy_ += weight * x * y;
    zy_ += weight * z * y;
    yy_ += weight * y * y;
  }
  /// On the sum of both columns alone: one level.
  double left_of_one() const {
    const double square = xx_ + 2 * xz_ + zz_;
    return square > 0 ? yy_ - (xy_ + zy_) * (xy_ + zy_) / square : yy_;
  }
  double left_of_both() const {
    const double determinant = xx_ * zz_ - xz_ * xz_;
    if (!(determinant > 0)) return left_of_one();
    const double before = (zz_ * xy_ - xz_ * zy_) / determinant;
    const double after = (xx_ * zy_ - xz_ * xy_) / determinant;
    return yy_ - before * xy_ - after * zy_;
  }

 private:
  double xx_ = 0, xz_ = 0, zz_ = 0, xy_ = 0, zy_ = 0, yy_ = 0;
};

}  // namespace

double level_shift_p_value(std::span<const double> values, std::span<const double> weights,
                           std::size_t at) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 5) return 1;
  const double origin = values.front();  // squares of what is far from zero would lose digits
  double without = std::numeric_limits<double>::infinity(), with = without;
  for (int i = 0; i < kCorrelations; ++i) {
    const double correlation = kStep * i;
    TwoColumns columns;
    const double first = std::sqrt(1 - correlation * correlation);
    columns.add(first, 0, 0, weights[0]);
    for (std::size_t t = 1; t < values.size(); ++t) {
      const double y = (values[t] - origin) - correlation * (values[t - 1] - origin);
      const double x = (t < at ? 1 : 0) - (t <= at ? correlation : 0);
      const double z = (t >= at ? 1 : 0) - (t > at ? correlation : 0);
      columns.add(x, z, y, weights[t]);
    }
    without = std::min(without, columns.left_of_one());
    with = std::min(with, columns.left_of_both());
  }
  if (!(with > 0)) return without > 0 ? std::numeric_limits<double>::min() : 1;
  const double degrees = n - 3;
  const double square = std::max(0.0, (without - with) / (with / degrees));
  return 2 *
         boost::math::cdf(boost::math::complement(
             boost::math::students_t(std::max(2.0, kDegreesShare * degrees)), std::sqrt(square)));
}

}  // namespace benchhud::analysis
