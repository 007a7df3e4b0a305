#include "analysis/changes/level_shift.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "analysis/statistics/boost_math_policy.h"

namespace benchhud::analysis {
namespace {

constexpr int kCorrelations = 20;  // tried: 0, 0.05, …, 0.95
constexpr double kStep = 0.05;
// Of the degrees of freedom that a known correlation would leave: it is chosen to fit, and where it
// comes out too small by chance the step looks surest. Nearly half of those of few nights, of many
// a third. By simulation (`./dev eval`, calibration).
constexpr double kShareOfFew = 0.45, kShareOfMany = 0.35;
constexpr double kMostOfFew = 34;

double degrees_left(double degrees) {
  return std::max({2.0, std::min(kShareOfFew * degrees, kMostOfFew), kShareOfMany * degrees});
}

using StudentsT = boost::math::students_t_distribution<double, DoublePolicy>;

// A weighted sum of products of two columns that are each taken less a correlation times what they
// were a row before: as a function of the correlation.
class LaggedProduct {
 public:
  void add(double x, double y, double x_before, double y_before, double weight) {
    now_ += weight * x * y;
    mixed_ += weight * (x * y_before + x_before * y);
    before_ += weight * x_before * y_before;
  }
  // The first row has none before it.
  void add_first(double x, double y, double weight) { first_ += weight * x * y; }

  double at(double correlation) const {
    return (1 - correlation * correlation) * first_ + now_ - correlation * mixed_ +
           correlation * correlation * before_;
  }

 private:
  double first_ = 0, now_ = 0, mixed_ = 0, before_ = 0;
};

// Squares left of a weighted regression of `y` on one level (x and z together), or on both.
struct Products {
  double xx = 0, xz = 0, zz = 0, xy = 0, zy = 0, yy = 0;

  double left_of_one() const {
    const double square = xx + 2 * xz + zz;
    return square > 0 ? yy - (xy + zy) * (xy + zy) / square : yy;
  }
  double left_of_both() const {
    const double determinant = xx * zz - xz * xz;
    if (!(determinant > 0)) return left_of_one();
    const double before = (zz * xy - xz * zy) / determinant;
    const double after = (xx * zy - xz * xy) / determinant;
    return yy - before * xy - after * zy;
  }
};

// The columns: whether a night is before the shift, or after it, and its value.
class Columns {
 public:
  Columns(std::span<const double> values, std::span<const double> weights, std::size_t at) {
    // Squares of what is far from either level would lose digits.
    const double origin = values.front();
    double x_before = 0, z_before = 0, y_before = 0;
    for (std::size_t t = 0; t < values.size(); ++t) {
      const double x = t < at ? 1 : 0, z = 1 - x, y = values[t] - origin, weight = weights[t];
      if (t == 0) {
        xx_.add_first(x, x, weight);
      } else {
        xx_.add(x, x, x_before, x_before, weight);
        xz_.add(x, z, x_before, z_before, weight);
        zz_.add(z, z, z_before, z_before, weight);
        xy_.add(x, y, x_before, y_before, weight);
        zy_.add(z, y, z_before, y_before, weight);
        yy_.add(y, y, y_before, y_before, weight);
      }
      x_before = x;
      z_before = z;
      y_before = y;
    }
  }

  Products at(double correlation) const {
    return {xx_.at(correlation), xz_.at(correlation), zz_.at(correlation),
            xy_.at(correlation), zy_.at(correlation), yy_.at(correlation)};
  }

 private:
  LaggedProduct xx_, xz_, zz_, xy_, zy_, yy_;
};

}  // namespace

double level_shift_p_value(std::span<const double> values, std::span<const double> weights,
                           std::size_t at) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 5) return 1;
  const Columns columns(values, weights, at);
  double without = std::numeric_limits<double>::infinity(), with = without;
  for (int i = 0; i < kCorrelations; ++i) {
    const Products products = columns.at(kStep * i);
    without = std::min(without, products.left_of_one());
    with = std::min(with, products.left_of_both());
  }
  if (!(with > 0)) return without > 0 ? std::numeric_limits<double>::min() : 1;
  const double degrees = n - 3;
  const double square = std::max(0.0, (without - with) / (with / degrees));
  const StudentsT student(degrees_left(degrees));
  return 2 * boost::math::cdf(boost::math::complement(student, std::sqrt(square)));
}

}  // namespace benchhud::analysis
