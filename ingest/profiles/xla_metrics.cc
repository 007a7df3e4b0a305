#include "ingest/profiles/xla_metrics.h"

#include <cmath>
#include <string>
#include <utility>

#include "ingest/text/problem_list.h"
#include "ingest/text/text_parts.h"
#include "ingest/trace/trace_time.h"

namespace benchhud::ingest {

using schema::MetricValue;
using schema::XlaMetric;

namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t ns;
};
// From the greatest down, as they are printed.
constexpr DurationUnit kDurationUnits[] = {{"d", 86'400'000'000'000}, {"h", 3'600'000'000'000},
                                           {"m", 60'000'000'000},     {"s", 1'000'000'000},
                                           {"ms", 1'000'000},         {"us", 1'000}};

std::optional<double> bytes(std::string_view text) {
  static constexpr std::pair<std::string_view, double> kSizes[] = {
      {"PB", 0x1p50}, {"TB", 0x1p40}, {"GB", 0x1p30}, {"MB", 0x1p20}, {"KB", 0x1p10}, {"B", 1}};
  for (const auto& [unit, size] : kSizes) {
    if (!text.ends_with(unit)) continue;
    const auto value = number_of<double>(text.substr(0, text.size() - unit.size()));
    if (value) return *value * size;
  }
  return std::nullopt;
}

std::optional<MetricValue> metric_value(std::string_view text) {
  MetricValue value;
  value.text = text;
  if (const auto plain = number_of<double>(text)) {
    value.value = *plain;
  } else if (const auto duration = decode_duration(text)) {
    value.kind = MetricValue::Kind::kTime;
    value.value = static_cast<double>(*duration);
  } else if (const auto size = bytes(text)) {
    value.kind = MetricValue::Kind::kBytes;
    value.value = *size;
  } else {
    return std::nullopt;
  }
  return value;
}

class ReportReader {
 public:
  explicit ReportReader(XlaMetrics* found) : found_(*found) {}

  void take(std::string_view line, std::int64_t number) {
    if (takes_wrapped(line)) {
      wrapped_ += ' ';
      wrapped_ += trim(line);
      return;
    }
    end_entry();
    line_ = number;
    wrapped_ = line;
  }

  void finish() {
    end_entry();
    found_.problems = problems_.take();
  }

 private:
  // Percentiles go on over lines: one that holds `%=` but no key.
  bool takes_wrapped(std::string_view line) const {
    return trim(wrapped_).starts_with("Percentiles:") && line.find("%=") != line.npos &&
           trim(line).find(": ") == line.npos;
  }

  void end_entry() {
    const std::string entry = std::move(wrapped_);
    wrapped_.clear();
    const std::string_view text = trim(entry);
    const std::size_t colon = text.find(':');
    if (colon == text.npos) return;
    const bool is_indented = entry.starts_with(' ') || entry.starts_with('\t');
    take_entry(text.substr(0, colon), trim(text.substr(colon + 1)), is_indented);
  }

  void take_entry(std::string_view key, std::string_view value, bool is_indented) {
    if (!is_indented) {
      in_ = In::kNothing;
      if (key == "Metric") {
        in_ = In::kMetric;
        found_.report.metrics.emplace_back().name = value;
      } else if (key == "Counter") {
        in_ = In::kCounter;
        counter_ = value;
      }
      return;
    }
    if (in_ == In::kCounter && key == "Value") {
      const auto count = number_of<std::int64_t>(value);
      if (!count) return problem(key, value);
      found_.report.counters.emplace_back(counter_, *count);
    } else if (in_ == In::kMetric) {
      take_metric(key, value, &found_.report.metrics.back());
    }
  }

  void take_metric(std::string_view key, std::string_view value, XlaMetric* metric) {
    const auto per_second = [&] { return trim(value.substr(0, value.find('/'))); };
    if (key == "TotalSamples") {
      const auto count = number_of<std::int64_t>(value);
      if (!count) return problem(key, value);
      metric->total_samples = *count;
    } else if (key == "Accumulator" || key == "Counter") {
      metric->accumulator = metric_value(value);
      if (!metric->accumulator) problem(key, value);
    } else if (key == "ValueRate") {
      metric->value_rate = metric_value(per_second());
      if (!metric->value_rate) problem(key, value);
    } else if (key == "Rate") {
      metric->rate = number_of<double>(per_second());
      if (!metric->rate) problem(key, value);
    } else if (key == "Percentiles") {
      take_percentiles(value, metric);
    }
  }

  void take_percentiles(std::string_view list, XlaMetric* metric) {
    while (!list.empty()) {
      const std::size_t end = std::min(list.find(';'), list.size());
      const std::string_view entry = trim(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
      if (entry.empty()) continue;
      const std::size_t mark = entry.find("%=");
      const auto percent = number_of<double>(entry.substr(0, std::min(mark, entry.size())));
      const auto value = mark == entry.npos ? std::nullopt : metric_value(entry.substr(mark + 2));
      if (percent && value) {
        metric->percentiles.emplace_back(*percent, *value);
      } else {
        problem("Percentiles", entry);
      }
    }
  }

  void problem(std::string_view key, std::string_view value) {
    problems_.add(line_, std::string(key) + " is " + excerpt(value) + ", not a value");
  }

  enum class In : std::uint8_t { kNothing, kMetric, kCounter };

  XlaMetrics& found_;
  ProblemList problems_;
  In in_ = In::kNothing;
  std::string counter_;
  std::string wrapped_;    // the entry at hand, over several lines
  std::int64_t line_ = 0;  // on which it begins
};

}  // namespace

std::optional<std::int64_t> decode_duration(std::string_view text) {
  struct Part {
    std::string_view digits;
    const DurationUnit* unit;
  };
  std::vector<Part> parts;
  std::size_t next_unit = 0;
  while (!text.empty()) {
    const std::size_t end = text.find_first_not_of("0123456789.");
    if (end == 0 || end == text.npos) return std::nullopt;
    const std::size_t unit_end = std::min(text.find_first_of("0123456789.", end), text.size());
    const std::string_view name = text.substr(end, unit_end - end);
    while (next_unit < std::size(kDurationUnits) && kDurationUnits[next_unit].name != name)
      ++next_unit;
    if (next_unit == std::size(kDurationUnits)) return std::nullopt;
    parts.push_back({text.substr(0, end), &kDurationUnits[next_unit++]});
    text.remove_prefix(unit_end);
  }
  std::int64_t below = 0;  // ns of all units behind the one at hand
  for (std::size_t i = parts.size(); i-- > 0;) {
    const Part& part = parts[i];
    const bool is_last = i + 1 == parts.size();
    if (is_last) {
      // As microseconds, so that a fraction is exact.
      const auto fraction = microseconds_to_ns(part.digits);
      if (!fraction || *fraction > INT64_MAX / part.unit->ns * 1'000) return std::nullopt;
      below = static_cast<std::int64_t>(
          std::llround(static_cast<long double>(*fraction) * part.unit->ns / 1'000));
      continue;
    }
    auto count = number_of<std::int64_t>(part.digits);
    if (!count) return std::nullopt;
    if (below >= part.unit->ns / 2 && *count > 0) --*count;
    std::int64_t ns = 0;
    if (__builtin_mul_overflow(*count, part.unit->ns, &ns) ||
        __builtin_add_overflow(below, ns, &below)) {
      return std::nullopt;
    }
  }
  if (parts.empty()) return std::nullopt;
  return below;
}

XlaMetrics read_xla_metrics(std::string_view text) {
  XlaMetrics found;
  ReportReader reader(&found);
  std::int64_t number = 0;
  while (!text.empty()) reader.take(next_line(&text), ++number);
  reader.finish();
  return found;
}

}  // namespace benchhud::ingest
