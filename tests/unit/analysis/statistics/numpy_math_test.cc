// Expected values are what numpy 1.24, scipy 1.10 and Python 3.11 print for the same input.
#include "analysis/statistics/numpy_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace benchhud::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Inverse numbers: their sum depends on the order of the additions.
std::vector<double> inverses(int count) {
  std::vector<double> values;
  for (int i = 1; i <= count; ++i) values.push_back(1.0 / i);
  return values;
}

TEST(NumpyMath, SumsInNumpysOrder) {
  EXPECT_EQ(numpy_sum(inverses(0)), 0.0);
  EXPECT_EQ(numpy_sum(inverses(1)), 1.0);
  EXPECT_EQ(numpy_sum(inverses(7)), 2.5928571428571425);
  EXPECT_EQ(numpy_sum(inverses(8)), 2.7178571428571425);
  EXPECT_EQ(numpy_sum(inverses(9)), 2.8289682539682537);
  EXPECT_EQ(numpy_sum(inverses(15)), 3.3182289932289937);
  EXPECT_EQ(numpy_sum(inverses(16)), 3.3807289932289937);
  EXPECT_EQ(numpy_sum(inverses(17)), 3.439552522640758);
  EXPECT_EQ(numpy_sum(inverses(127)), 5.425334592589172);
  EXPECT_EQ(numpy_sum(inverses(128)), 5.433147092589173);
  EXPECT_EQ(numpy_sum(inverses(129)), 5.440899030573669);
  EXPECT_EQ(numpy_sum(inverses(136)), 5.493542515771517);
  EXPECT_EQ(numpy_sum(inverses(200)), 5.878030948121444);
  EXPECT_EQ(numpy_sum(inverses(257)), 6.128236013400938);
  EXPECT_EQ(numpy_sum(inverses(1000)), 7.485470860550345);
  EXPECT_EQ(numpy_sum(inverses(5000)), 9.094508852984436);
}

TEST(NumpyMath, MeanAndDeviation) {
  EXPECT_EQ(numpy_mean(inverses(3)), 0.611111111111111);
  EXPECT_EQ(numpy_std(inverses(3), 1), 0.3469443332443555);
  EXPECT_EQ(numpy_std(inverses(3), 0), 0.28327886186626583);
  EXPECT_EQ(numpy_mean(inverses(12)), 0.25860088985088986);
  EXPECT_EQ(numpy_std(inverses(12), 1), 0.2632806307209162);
  EXPECT_EQ(numpy_std(inverses(12), 0), 0.2520720127993913);
  EXPECT_EQ(numpy_mean(inverses(140)), 0.039445894745737696);
  EXPECT_EQ(numpy_std(inverses(140), 1), 0.10107265188999698);
  EXPECT_EQ(numpy_std(inverses(140), 0), 0.10071103122479523);
  EXPECT_TRUE(std::isnan(numpy_mean({})));
  EXPECT_TRUE(std::isnan(numpy_std(std::vector<double>{1.0}, 1)));
  EXPECT_EQ(numpy_std(std::vector<double>{1.0}, 0), 0.0);
}

TEST(NumpyMath, Percentiles) {
  EXPECT_EQ(numpy_percentile(inverses(2), 5), 0.525);
  EXPECT_EQ(numpy_percentile(inverses(2), 50), 0.75);
  EXPECT_EQ(numpy_percentile(inverses(2), 95), 0.975);
  EXPECT_EQ(numpy_percentile(inverses(3), 5), 0.35);
  EXPECT_EQ(numpy_percentile(inverses(3), 50), 0.5);
  EXPECT_EQ(numpy_percentile(inverses(3), 95), 0.95);
  EXPECT_EQ(numpy_percentile(inverses(10), 5), 0.105);
  EXPECT_EQ(numpy_percentile(inverses(10), 50), 0.18333333333333335);
  EXPECT_EQ(numpy_percentile(inverses(10), 95), 0.7749999999999995);
  EXPECT_EQ(numpy_percentile(inverses(61), 5), 0.017241379310344827);
  EXPECT_EQ(numpy_percentile(inverses(61), 50), 0.03225806451612903);
  EXPECT_EQ(numpy_percentile(inverses(61), 95), 0.25);
  EXPECT_TRUE(std::isnan(numpy_percentile(std::vector<double>{1.0, kNaN}, 50)));
  EXPECT_TRUE(std::isnan(numpy_percentile(std::vector<double>{kInfinity}, 50)));
  EXPECT_EQ(numpy_percentile(std::vector<double>{7.0}, 95), 7.0);
}

TEST(NumpyMath, Median) {
  EXPECT_EQ(numpy_median(std::vector<double>{3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(numpy_median(std::vector<double>{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_TRUE(std::isnan(numpy_median(std::vector<double>{1.0, kNaN, 2.0})));
}

TEST(NumpyMath, Geomean) {
  EXPECT_DOUBLE_EQ(scipy_gmean(std::vector<double>{1.0, 4.0}), 2.0);
  EXPECT_EQ(scipy_gmean(std::vector<double>{0.0, 4.0}), 0.0);
  EXPECT_TRUE(std::isnan(scipy_gmean(std::vector<double>{-1.0, 4.0})));
}

TEST(NumpyMath, RoundsAsPythonAndAsNumpy) {
  EXPECT_EQ(python_round8(1.25e-07), 1.2e-07);
  EXPECT_EQ(python_round8(0.123456785), 0.12345678);
  EXPECT_EQ(python_round8(1e305), 1e305);
  EXPECT_EQ(numpy_round8(0.123456785), 0.12345678);
  EXPECT_EQ(numpy_round8(1e305), kInfinity);  // it scales before it rounds
  EXPECT_TRUE(std::isnan(numpy_round8(kNaN)));
  EXPECT_TRUE(std::isnan(python_round8(kNaN)));
}

TEST(NumpyMath, PrintsAsPython) {
  EXPECT_EQ(python_text(0.0), "0.0");
  EXPECT_EQ(python_text(-0.0), "-0.0");
  EXPECT_EQ(python_text(1.0), "1.0");
  EXPECT_EQ(python_text(0.1), "0.1");
  EXPECT_EQ(python_text(0.0001), "0.0001");
  EXPECT_EQ(python_text(1.5e-05), "1.5e-05");
  EXPECT_EQ(python_text(1e-08), "1e-08");
  EXPECT_EQ(python_text(1000000000000000.0), "1000000000000000.0");
  EXPECT_EQ(python_text(1e+16), "1e+16");
  EXPECT_EQ(python_text(1.2345678901234568e+17), "1.2345678901234568e+17");
  EXPECT_EQ(python_text(1e+22), "1e+22");
  EXPECT_EQ(python_text(5e-324), "5e-324");
  EXPECT_EQ(python_text(1.7976931348623157e+308), "1.7976931348623157e+308");
  EXPECT_EQ(python_text(-2.5), "-2.5");
  EXPECT_EQ(python_text(0.03108182), "0.03108182");
  EXPECT_EQ(python_text(100.0), "100.0");
  EXPECT_EQ(python_text(kNaN), "nan");
  EXPECT_EQ(python_text(kInfinity), "inf");
  EXPECT_EQ(python_text(-kInfinity), "-inf");
}

TEST(NumpyMath, PrintsTimesAsPython) {
  EXPECT_EQ(python_datetime(0.0), "1970-01-01 00:00:00");
  EXPECT_EQ(python_datetime(1699680738.7234068), "2023-11-11 05:32:18.723407");
  EXPECT_EQ(python_datetime(1699680738.0), "2023-11-11 05:32:18");
  EXPECT_EQ(python_datetime(1699680738.9999995), "2023-11-11 05:32:19");
  EXPECT_EQ(python_datetime(1699680738.0000005), "2023-11-11 05:32:18");
  EXPECT_EQ(python_datetime(5e-07), "1970-01-01 00:00:00");
  EXPECT_EQ(python_datetime(1.5e-06), "1970-01-01 00:00:00.000002");
  EXPECT_EQ(python_datetime(-0.25), "1969-12-31 23:59:59.750000");
  EXPECT_EQ(python_datetime(-1.0), "1969-12-31 23:59:59");
  EXPECT_EQ(python_datetime(951782399.999999), "2000-02-28 23:59:59.999999");
  EXPECT_EQ(python_datetime(253402300799.0), "9999-12-31 23:59:59");
  EXPECT_EQ(python_datetime(-62135596800.0), "0001-01-01 00:00:00");
}

}  // namespace
}  // namespace benchhud::analysis
