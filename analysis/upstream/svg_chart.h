// Charts that stand alone as SVG files: lines with error bars, or groups of horizontal bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace benchhud::analysis {

struct ChartPoint {
  double x = 0;  ///< a count, or seconds since 1970
  std::optional<double> y;
  double error = 0;   ///< half the length of the error bar; none where 0
  std::string label;  ///< beside the point
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;
  int style = 0;  ///< series of one style look alike but for how strong they are drawn
};

enum class ChartXAxis { kCount, kTime };

struct Chart {
  std::vector<std::string> title;  ///< its lines
  std::string x_label, y_label;
  std::vector<ChartSeries> series;
  ChartXAxis x_axis = ChartXAxis::kCount;
  double width_inches = 9;
  double height_inches = 6.75;
};

/// Lines over x, with a line at y = 1. Points that are absent or not finite are left out.
std::string draw_lines(const Chart& chart);

/// Bars from 0 to `y`, a group for each place in the series' points, named by `groups`, from the
/// top down, with a line at 1. Grows in height where the groups would not be told apart.
std::string draw_bars(const Chart& chart, const std::vector<std::string>& groups);

}  // namespace benchhud::analysis
