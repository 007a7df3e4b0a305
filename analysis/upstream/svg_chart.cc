#include "analysis/upstream/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include "schema/base/time.h"
#include "schema/base/xml_text.h"

namespace benchhud::analysis {
namespace {

constexpr double kPixelsPerInch = 96;
constexpr double kLineHeight = 18;

// Told apart by readers with any colour vision (Okabe and Ito's set, the dark ones first), and by
// their marks.
constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#8c4f7e", "#7a6a00", "#444444"};
constexpr std::array kDashes = {"", "2 3", "7 4", "7 3 2 3"};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void widen(double share) {
    const double room = high > low ? (high - low) * share : 1;
    low -= room;
    high += room;
  }
};

struct Frame {
  double left, top, right, bottom;  // of the plot, in pixels
  Range x, y;

  double at_x(double value) const {
    return left + (value - x.low) / (x.high - x.low) * (right - left);
  }
  double at_y(double value) const {
    return bottom - (value - y.low) / (y.high - y.low) * (bottom - top);
  }
};

template <class... Values>
void add(std::string* out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(*out), format, std::forward<Values>(values)...);
}

const char* color_of(const ChartSeries& series) {
  return kColors[static_cast<std::size_t>(series.style) % kColors.size()];
}

bool is_drawn(const ChartPoint& point) { return point.y && std::isfinite(*point.y); }

bool has_error_bar(const ChartPoint& point) {
  return std::isfinite(point.error) && point.error > 0;
}

// A step of 1, 2 or 5 times a power of ten that divides `range` into about `count` parts.
double decimal_step(double range, double count) {
  const double raw = range / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10 * power;
}

double time_step(double range, double count) {
  constexpr double kDay = 86400;
  for (const double step : {3600.0, 6 * 3600.0, kDay, 2 * kDay, 7 * kDay, 14 * kDay, 28 * kDay,
                            91 * kDay, 182 * kDay}) {
    if (range / step <= count) return step;
  }
  return decimal_step(range / (365 * kDay), count) * 365 * kDay;
}

std::vector<double> ticks(const Range& range, double step) {
  std::vector<double> places;
  for (double place = std::ceil(range.low / step) * step;
       place <= range.high && places.size() < 100; place += step) {
    places.push_back(std::abs(place) < step / 2 ? 0 : place);
  }
  return places;
}

std::string begin(const Chart& chart, double width, double height) {
  std::string out;
  std::string name;
  for (const std::string& line : chart.title) name += (name.empty() ? "" : ", ") + line;
  add(&out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" "
      "font-size=\"12\" fill=\"#222222\">\n<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width, height, schema::xml_text(name));
  double y = 8 + kLineHeight;
  for (const std::string& line : chart.title) {
    add(&out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n",
        width / 2, y, schema::xml_text(line));
    y += kLineHeight + 2;
  }
  return out;
}

double title_height(const Chart& chart) {
  return 12 + (kLineHeight + 2) * static_cast<double>(chart.title.size());
}

// The series' names in rows below the title; returns where the rows end.
double add_legend(const Chart& chart, double y, double width, std::string* out) {
  constexpr double kSwatch = 26;
  constexpr double kLetter = 6.8;
  double x = 60;
  for (const ChartSeries& series : chart.series) {
    const double size = kSwatch + 8 + kLetter * static_cast<double>(series.name.size()) + 18;
    if (x > 60 && x + size > width) {
      x = 60;
      y += kLineHeight;
    }
    add(out, "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"8\" fill=\"{}\"/>\n", x, y + 5,
        kSwatch, color_of(series));
    add(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + kSwatch + 6, y + 13,
        schema::xml_text(series.name));
    x += size;
  }
  return y + kLineHeight + 8;
}

void add_y_axis(const Frame& frame, const std::string& label, std::string* out) {
  for (const double y : ticks(frame.y, decimal_step(frame.y.high - frame.y.low, 8))) {
    const double at = frame.at_y(y);
    add(out,
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#eeeeee\"/>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n",
        frame.left, frame.right, at, at, frame.left - 6, at + 4, y);
  }
  const double middle = (frame.top + frame.bottom) / 2;
  add(out,
      "<text x=\"16\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0:.1f})\">{1}"
      "</text>\n",
      middle, schema::xml_text(label));
}

void add_x_axis(const Frame& frame, ChartXAxis kind, const std::string& label, std::string* out) {
  const double range = frame.x.high - frame.x.low;
  const bool is_time = kind == ChartXAxis::kTime;
  const double step = is_time ? time_step(range, 7) : std::max(1.0, decimal_step(range, 10));
  for (const double x : ticks(frame.x, step)) {
    std::string text = is_time ? schema::format_date(x) : fmt::format("{:.6g}", x);
    if (is_time && step < 86400) text = schema::format_time(x).substr(5, 11);
    std::replace(text.begin(), text.end(), 'T', ' ');
    add(out,
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#888888\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
        frame.at_x(x), frame.bottom, frame.bottom + 5, frame.bottom + 19, text);
  }
  add(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
      (frame.left + frame.right) / 2, frame.bottom + 38, schema::xml_text(label));
}

void add_border(const Frame& frame, std::string* out) {
  add(out,
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#888888\"/>\n",
      frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
}

void add_line(const Frame& frame, const ChartSeries& series, std::string* out) {
  std::string path;
  for (const ChartPoint& point : series.points) {
    if (!is_drawn(point)) continue;
    add(&path, "{}{:.1f} {:.1f}", path.empty() ? "M" : " L", frame.at_x(point.x),
        frame.at_y(*point.y));
  }
  const char* dash = kDashes[static_cast<std::size_t>(series.style) % kDashes.size()];
  add(out,
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"{}\"/>\n",
      path, color_of(series), dash);
}

void add_point(const Frame& frame, const ChartSeries& series, const ChartPoint& point,
               std::string* out) {
  const double x = frame.at_x(point.x);
  const double y = frame.at_y(*point.y);
  const char* color = color_of(series);
  if (has_error_bar(point)) {
    add(out,
        "<path d=\"M{0:.1f} {2:.1f} V{3:.1f} M{1:.1f} {2:.1f} h6 M{1:.1f} {3:.1f} h6\" "
        "stroke=\"{4}\" "
        "stroke-width=\"0.7\" fill=\"none\"/>\n",
        x, x - 3, frame.at_y(*point.y - point.error), frame.at_y(*point.y + point.error), color);
  }
  add(out,
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"><title>{}: "
      "{:.4g}{}</title></circle>\n",
      x, y, color,
      schema::xml_text(point.label.empty() ? series.name : series.name + ", " + point.label),
      *point.y, has_error_bar(point) ? fmt::format(" ± {:.2g}", point.error) : "");
  if (point.label.empty()) return;
  // Series alternate between names that go up from the point and names that come up to it.
  const bool is_above = series.style % 2 == 0;
  add(out,
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" font-size=\"8\" fill-opacity=\"0.75\" text-anchor=\"{2}\" "
      "transform=\"rotate(-45 {0:.1f} {1:.1f})\">{3}</text>\n",
      is_above ? x + 4 : x - 4, is_above ? y - 4 : y + 8, is_above ? "start" : "end",
      schema::xml_text(point.label));
}

}  // namespace

std::string draw_lines(const Chart& chart) {
  const double width = chart.width_inches * kPixelsPerInch;
  const double height = chart.height_inches * kPixelsPerInch;
  std::string out = begin(chart, width, height);
  Frame frame{60, add_legend(chart, title_height(chart), width, &out), width - 20, height - 50, {},
              {}};
  frame.y.include(1);
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!is_drawn(point)) continue;
      frame.x.include(point.x);
      frame.y.include(*point.y - (has_error_bar(point) ? point.error : 0));
      frame.y.include(*point.y + (has_error_bar(point) ? point.error : 0));
    }
  }
  if (frame.x.high < frame.x.low) frame.x = {0, 1};
  if (frame.x.high == frame.x.low && chart.x_axis == ChartXAxis::kTime) {
    frame.x.low -= 43200;
    frame.x.high += 43200;
  }
  frame.x.widen(0.04);
  frame.y.widen(0.06);
  add_y_axis(frame, chart.y_label, &out);
  add_x_axis(frame, chart.x_axis, chart.x_label, &out);
  add(&out, "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#aaaaaa\"/>\n",
      frame.left, frame.right, frame.at_y(1), frame.at_y(1));
  for (const ChartSeries& series : chart.series) {
    add_line(frame, series, &out);
    for (const ChartPoint& point : series.points) {
      if (is_drawn(point)) add_point(frame, series, point, &out);
    }
  }
  add_border(frame, &out);
  out += "</svg>\n";
  return out;
}

std::string draw_bars(const Chart& chart, const std::vector<std::string>& groups) {
  constexpr double kBar = 11;
  constexpr double kGap = 7;
  const double group_height = kBar * static_cast<double>(chart.series.size()) + kGap;
  const double above = title_height(chart) + 2 * kLineHeight + 8;
  const double height = std::max(chart.height_inches * kPixelsPerInch,
                                 above + group_height * static_cast<double>(groups.size()) + 60);
  const double width = chart.width_inches * kPixelsPerInch;
  std::size_t longest = 0;
  for (const std::string& group : groups) longest = std::max(longest, group.size());
  std::string out = begin(chart, width, height);
  const double left = std::min(30 + 6.6 * static_cast<double>(longest), width / 2);
  Frame frame{
      left, add_legend(chart, title_height(chart), width, &out), width - 20, height - 50, {}, {}};
  frame.x.include(0);
  frame.x.include(1);
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (is_drawn(point)) frame.x.include(*point.y + (has_error_bar(point) ? point.error : 0));
    }
  }
  frame.x.high *= 1.1;
  frame.y = {0, 1};
  for (const double x : ticks(frame.x, decimal_step(frame.x.high, 8))) {
    add(&out,
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{4:.1f}\" text-anchor=\"middle\">{5:.6g}</text>\n",
        frame.at_x(x), frame.top, frame.bottom, x == 1 ? "#aaaaaa" : "#eeeeee", frame.bottom + 18,
        x);
  }
  add(&out,
      "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#888888\"/>\n",
      frame.at_x(1), frame.top, frame.bottom);
  add(&out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
      (frame.left + frame.right) / 2, frame.bottom + 38, schema::xml_text(chart.x_label));
  const double share = (frame.bottom - frame.top) / static_cast<double>(groups.size());
  const double bar = (share - kGap) / static_cast<double>(chart.series.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const double top = frame.top + share * static_cast<double>(group) + kGap / 2;
    add(&out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" font-size=\"11\">{}</text>\n",
        frame.left - 6, top + (share - kGap) / 2 + 4, schema::xml_text(groups[group]));
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      const ChartPoint& point = chart.series[i].points[group];
      if (!is_drawn(point)) continue;
      const double y = top + bar * static_cast<double>(i);
      const double middle = y + bar / 2;
      const double end = frame.at_x(std::max(*point.y, 0.0));
      double text_x = end;
      add(&out,
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
          frame.left, y, end - frame.left, bar * 0.9, color_of(chart.series[i]));
      if (has_error_bar(point)) {
        const double low = frame.at_x(std::max(*point.y - point.error, 0.0));
        text_x = frame.at_x(*point.y + point.error);
        add(&out, "<path d=\"M{:.1f} {:.1f} H{:.1f}\" stroke=\"#222222\" stroke-width=\"0.8\"/>\n",
            low, middle, text_x);
      }
      add(&out, "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"9\">{:.2f}</text>\n", text_x + 4,
          middle + 3, *point.y);
    }
  }
  add_border(frame, &out);
  out += "</svg>\n";
  return out;
}

}  // namespace benchhud::analysis
