#include "analysis/upstream/upstream_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/statistics/numpy_math.h"
#include "analysis/upstream/svg_chart.h"
#include "analysis/upstream/text_table.h"
#include "analysis/upstream/upstream_speedups.h"
#include "schema/base/ascii.h"

namespace benchhud::analysis {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

// Backends that upstream knows, in its order, and what it calls them in headers.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTitles = {{
    {"eager", "Eager"},
    {"inductor", "Inductor"},
    {"openxla+dynamo", "XLA+Dynamo"},
    {"openxla+lazytensor", "XLA+LazyTensor"},
}};
constexpr std::array kPercents = {95, 50, 5};

bool has_title(std::string_view backend) {
  return std::any_of(kTitles.begin(), kTitles.end(),
                     [&](const auto& title) { return title.first == backend; });
}

std::string title_of(const std::string& backend) {
  for (const auto& [name, title] : kTitles) {
    if (name == backend) return std::string(title);
  }
  return backend;
}

void add_cell(const std::optional<double>& value, std::vector<TextCell>* row) {
  row->emplace_back();
  if (value) row->back() = *value;
}

void add_cells(const std::optional<UpstreamValue>& value, std::vector<TextCell>* row) {
  add_cell(value ? std::optional(numpy_round8(value->mean)) : std::nullopt, row);
  add_cell(value ? std::optional(numpy_round8(value->error)) : std::nullopt, row);
}

ChartPoint chart_point(double x, const std::optional<UpstreamValue>& value) {
  ChartPoint point;
  point.x = x;
  if (value) {
    point.y = value->mean;
    point.error = value->error;
  }
  return point;
}

struct ModelSpeedup {
  UpstreamValue speedup;
  std::string model;
};

// As Python compares tuples: the first members that are not equal decide. NaN equals nothing, is
// less than nothing, and nothing is less than it.
bool is_less(const ModelSpeedup& a, const ModelSpeedup& b) {
  if (a.speedup.mean != b.speedup.mean) return a.speedup.mean < b.speedup.mean;
  if (a.speedup.error != b.speedup.error) return a.speedup.error < b.speedup.error;
  return a.model < b.model;
}

// Python's sort of fewer than 64 things: the run that the list begins with, turned round if it
// descends, then insertion after a binary search. With NaN among them the order depends on these
// steps, and a compile time below 0, which noise brings about, makes a NaN.
void sort_as_python(std::vector<ModelSpeedup>* list) {
  if (list->size() < 2) return;
  const auto begin = list->begin();
  auto next = begin + 1;
  const bool descends = is_less(*next, *begin);
  while (next != list->end() && is_less(*next, *(next - 1)) == descends) ++next;
  if (descends) std::reverse(begin, next);
  for (; next != list->end(); ++next) {
    auto low = begin;
    auto high = next;
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      if (is_less(*next, *middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    std::rotate(low, next, next + 1);
  }
}

void sort_by_speedup(BackendSpeedups* data) {
  std::vector<ModelSpeedup> list;
  for (std::size_t i = 0; i < data->models.size(); ++i) {
    list.push_back({data->speedups[i], std::move(data->models[i])});
  }
  sort_as_python(&list);
  for (std::size_t i = 0; i < list.size(); ++i) {
    data->speedups[i] = list[i].speedup;
    data->models[i] = std::move(list[i].model);
  }
}

}  // namespace

struct UpstreamReport::State {
  UpstreamOptions options;
  std::function<bool(std::string_view)> keeps;
  std::string accelerator;  // in lower case
  UpstreamDatapoints datapoints;
  std::unordered_map<std::string, bool> known_accelerators, known_models;
  std::set<std::string, std::less<>> backends_seen;

  bool is_wanted(const UpstreamLine& line);
  std::vector<std::string> titles() const;
  std::string speedup_header(const std::string& title) const;
  Chart chart(std::string_view what) const;
  std::string print(const TextTable& table) const;
  UpstreamOutput nothing() const;
  UpstreamOutput latest() const;
  UpstreamOutput latest_grouped() const;
  UpstreamOutput histogram() const;
  UpstreamOutput speedup() const;
};

bool UpstreamReport::State::is_wanted(const UpstreamLine& line) {
  const auto [model, is_new_accelerator] =
      known_accelerators.try_emplace(std::string(line.accelerator_model));
  if (is_new_accelerator) {
    model->second =
        schema::lower_case(line.accelerator_model).find(accelerator) != std::string::npos;
  }
  if (!model->second || line.test != options.test) return false;
  const auto [name, is_new_model] = known_models.try_emplace(std::string(line.model));
  if (is_new_model) name->second = keeps(line.model);
  return name->second;
}

std::vector<std::string> UpstreamReport::State::titles() const {
  std::vector<std::string> titles;
  for (const std::string& backend : options.backends) titles.push_back(title_of(backend));
  return titles;
}

std::string UpstreamReport::State::speedup_header(const std::string& title) const {
  const std::string over = title_of(options.backends[0]);
  const char* age = options.baseline == UpstreamBaseline::kOldest ? "Oldest" : "Latest";
  if (options.format == UpstreamFormat::kTab) {
    return fmt::format("Speedup\n{}\nover\n{}\n{}", title, age, over);
  }
  return fmt::format("Speedup({}/{} {})", title, age, over);
}

Chart UpstreamReport::State::chart(std::string_view what) const {
  Chart chart;
  const char* age = options.baseline == UpstreamBaseline::kOldest ? "Oldest" : "Latest";
  chart.title.push_back(
      fmt::format("{} over {} Benchmarked {}", what, age, title_of(options.backends[0])));
  if (!options.title.empty()) chart.title.push_back(options.title);
  chart.width_inches = options.width_inches;
  chart.height_inches = options.height_inches;
  return chart;
}

std::string UpstreamReport::State::print(const TextTable& table) const {
  return options.format == UpstreamFormat::kTab ? to_fancy_grid(table) : to_plain_csv(table);
}

UpstreamOutput UpstreamReport::State::nothing() const {
  return {"", "cannot find data for accelerator " + options.accelerator};
}

UpstreamOutput UpstreamReport::State::latest() const {
  std::vector<BackendSpeedups> columns;
  std::size_t row_count = 0;
  std::vector<double> timestamps = datapoints.timestamps();
  std::reverse(timestamps.begin(), timestamps.end());
  for (const std::string& backend : options.backends) {
    columns.emplace_back();
    for (const double timestamp : timestamps) {
      columns.back() = datapoints.speedups(timestamp, backend);
      if (!columns.back().empty()) break;
    }
    sort_by_speedup(&columns.back());
    row_count = std::max(row_count, columns.back().models.size());
  }
  if (row_count == 0) return nothing();

  const std::vector<std::string> names = titles();
  if (options.format == UpstreamFormat::kSvg) {
    Chart drawn = chart("Speedup");
    drawn.x_label = "Workload Number";
    drawn.y_label = "Speedup";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ChartSeries series{names[i], {}, static_cast<int>(i)};
      for (std::size_t row = 0; row < columns[i].models.size(); ++row) {
        series.points.push_back(chart_point(static_cast<double>(row), columns[i].speedups[row]));
        series.points.back().label = columns[i].models[row];
      }
      drawn.series.push_back(std::move(series));
    }
    return {draw_lines(drawn), ""};
  }
  TextTable table{{"Workload"}, {}};
  const bool is_grid = options.format == UpstreamFormat::kTab;
  for (const std::string& name : names) {
    table.headers.push_back(speedup_header(name));
    table.headers.emplace_back("StdDev");
    table.headers.push_back(is_grid ? "ModelName\n" + name : fmt::format("ModelName({})", name));
  }
  for (std::size_t i = 0; i < row_count; ++i) {
    std::vector<TextCell> row{static_cast<std::int64_t>(i)};
    for (const BackendSpeedups& column : columns) {
      const bool has_value = i < column.models.size();
      add_cells(has_value ? std::optional(column.speedups[i]) : std::nullopt, &row);
      row.emplace_back();
      if (has_value) row.back() = column.models[i];
    }
    table.rows.push_back(std::move(row));
  }
  return {print(table), ""};
}

UpstreamOutput UpstreamReport::State::latest_grouped() const {
  const std::size_t count = options.backends.size();
  std::vector<std::string> models;  // in the order in which they come
  std::unordered_map<std::string, std::vector<std::optional<UpstreamValue>>> values;
  std::vector<std::optional<UpstreamValue>> geomeans(count);
  for (std::size_t i = 0; i < count; ++i) {
    const BackendSpeedups data =
        datapoints.speedups(datapoints.timestamps().back(), options.backends[i]);
    if (!data.empty()) geomeans[i] = data.geomean();
    for (std::size_t n = 0; n < data.models.size(); ++n) {
      auto [row, is_new] = values.try_emplace(data.models[n], count);
      if (is_new) models.push_back(data.models[n]);
      row->second[i] = data.speedups[n];
    }
  }
  if (models.empty()) return nothing();
  std::stable_sort(models.begin(), models.end(), [](const std::string& a, const std::string& b) {
    return schema::lower_case(a) < schema::lower_case(b);
  });

  const std::vector<std::string> names = titles();
  std::vector<std::vector<std::optional<UpstreamValue>>> rows;
  for (const std::string& model : models) rows.push_back(values[model]);
  rows.push_back(geomeans);
  models.emplace_back("GEOMEAN");

  if (options.format == UpstreamFormat::kSvg) {
    Chart drawn = chart("Speedup");
    drawn.x_label = "Speedup";
    drawn.y_label = "Workload";
    for (std::size_t i = 0; i < count; ++i) {
      ChartSeries series{names[i], {}, static_cast<int>(i)};
      for (const auto& row : rows) series.points.push_back(chart_point(0, row[i]));
      drawn.series.push_back(std::move(series));
    }
    return {draw_bars(drawn, models), ""};
  }
  TextTable table{{"ModelName"}, {}};
  for (const std::string& name : names) {
    table.headers.push_back(speedup_header(name));
    table.headers.emplace_back("StdDev");
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::vector<TextCell> row{models[i]};
    for (const auto& value : rows[i]) add_cells(value, &row);
    table.rows.push_back(std::move(row));
  }
  return {print(table), ""};
}

UpstreamOutput UpstreamReport::State::histogram() const {
  const std::vector<std::string> names = titles();
  Chart drawn = chart("Histogram of Speedup");
  drawn.x_axis = ChartXAxis::kTime;
  drawn.x_label = "Date";
  drawn.y_label = "Geomean Speedup";
  TextTable table{{"Datetime(UTC)"}, {}};
  const char* separator = options.format == UpstreamFormat::kTab ? "\n" : " ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const int percent : kPercents) {
      table.headers.push_back(fmt::format("{}{}p{}", names[i], separator, percent));
      drawn.series.push_back({fmt::format("{} p{}", names[i], percent), {}, static_cast<int>(i)});
    }
  }
  for (const double timestamp : datapoints.timestamps()) {
    // Upstream asks the first backend alone whether the night has a row.
    if (datapoints.speedups(timestamp, options.backends[0]).empty()) continue;
    std::vector<TextCell> row{python_datetime(timestamp)};
    std::size_t place = 0;
    for (const std::string& backend : options.backends) {
      const BackendSpeedups data = datapoints.speedups(timestamp, backend);
      for (const int percent : kPercents) {
        std::optional<UpstreamValue> value;
        if (!data.empty()) value = UpstreamValue{data.percentile(percent), 0};
        add_cell(value ? std::optional(python_round8(value->mean)) : std::nullopt, &row);
        drawn.series[place++].points.push_back(chart_point(timestamp, value));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return {options.format == UpstreamFormat::kSvg ? draw_lines(drawn) : print(table), ""};
}

UpstreamOutput UpstreamReport::State::speedup() const {
  const std::vector<std::string> names = titles();
  Chart drawn = chart("Speedup");
  drawn.x_axis = ChartXAxis::kTime;
  drawn.x_label = "Date";
  drawn.y_label = "Geomean Speedup";
  TextTable table{{"Datetime(UTC)"}, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.headers.push_back(speedup_header(names[i]));
    table.headers.emplace_back("StdDev");
    drawn.series.push_back({names[i], {}, static_cast<int>(i)});
  }
  for (const double timestamp : datapoints.timestamps()) {
    std::vector<TextCell> row{python_datetime(timestamp)};
    std::vector<std::optional<UpstreamValue>> geomeans;
    for (const std::string& backend : options.backends) {
      const BackendSpeedups data = datapoints.speedups(timestamp, backend);
      geomeans.push_back(data.empty() ? std::nullopt : std::optional(data.geomean()));
      add_cells(geomeans.back(), &row);
    }
    if (std::none_of(geomeans.begin(), geomeans.end(),
                     [](const auto& g) { return g.has_value(); })) {
      continue;
    }
    for (std::size_t i = 0; i < geomeans.size(); ++i) {
      drawn.series[i].points.push_back(chart_point(timestamp, geomeans[i]));
    }
    table.rows.push_back(std::move(row));
  }
  return {options.format == UpstreamFormat::kSvg ? draw_lines(drawn) : print(table), ""};
}

UpstreamReport::UpstreamReport(UpstreamOptions options, std::function<bool(std::string_view)> keeps)
    : state_(std::make_unique<State>()) {
  state_->accelerator = schema::lower_case(options.accelerator);
  state_->options = std::move(options);
  state_->keeps = std::move(keeps);
}

UpstreamReport::~UpstreamReport() = default;

void UpstreamReport::add(const UpstreamLine& line) {
  State& state = *state_;
  if (state.backends_seen.find(line.backend) == state.backends_seen.end()) {
    state.backends_seen.emplace(line.backend);
  }
  if (line.total_time.empty() || !state.is_wanted(line)) return;
  const auto datapoint = upstream_datapoint(line.total_time, state.options.metric);
  if (datapoint) state.datapoints.add(line, *datapoint);
}

Expected<UpstreamOutput> UpstreamReport::render() const {
  State& state = *state_;
  const UpstreamOptions& options = state.options;
  for (const std::string& backend : options.backends) {
    if (has_title(backend) || state.backends_seen.count(backend) > 0) continue;
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("error: argument --backends: invalid choice: '{}' (choose from ['eager', "
                    "'inductor', 'openxla+dynamo', 'openxla+lazytensor'], or a backend of "
                    "the lines read)",
                    backend)};
  }
  if (!state.datapoints.choose_baseline(options.backends[0], options.baseline)) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("No {} results in the latest timestamp {}", options.backends[0],
                             python_text(state.datapoints.timestamps().back()))};
  }
  if (state.datapoints.empty()) return Error{ErrorCode::kNotFound, "no results found"};
  switch (options.report) {
    case UpstreamReportKind::kLatest:
      return state.latest();
    case UpstreamReportKind::kLatestGrouped:
      return state.latest_grouped();
    case UpstreamReportKind::kHistogram:
      return state.histogram();
    case UpstreamReportKind::kSpeedup:
      break;
  }
  return state.speedup();
}

}  // namespace benchhud::analysis
