#include "real_series.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace benchhud::eval {

using nlohmann::json;

namespace {

Builds read_builds(const std::filesystem::path& file) {
  std::map<long, std::vector<double>> by_build;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);  // the head
  while (std::getline(in, line)) {
    long index = 0, build = 0;
    double value = 0;
    if (std::sscanf(line.c_str(), "%ld,%ld,%lf", &index, &build, &value) == 3) {
      by_build[build].push_back(value);
    }
  }
  Builds builds;
  for (auto& [build, values] : by_build) builds.push_back(std::move(values));
  return builds;
}

std::vector<StepCase> cases_of(const json& list) {
  std::vector<StepCase> cases;
  for (const json& one : list) {
    cases.push_back({one.at("series"), one.at("step"), one.at("build_index")});
  }
  return cases;
}

}  // namespace

StepData read_steps(const std::filesystem::path& folder) {
  const json file = json::parse(std::ifstream(folder / "injected.json"));
  StepData data{{}, cases_of(file.at("offline")), cases_of(file.at("delay"))};
  for (const auto& cases : {data.offline, data.delay}) {
    for (const StepCase& one : cases) {
      Builds& builds = data.series[one.series];
      if (builds.empty()) builds = read_builds(folder / "small" / one.series);
    }
  }
  return data;
}

Builds builds_of(const Builds& builds, std::size_t begin, std::size_t end, const StepCase& step) {
  Builds kept(builds.begin() + static_cast<std::ptrdiff_t>(begin),
              builds.begin() + static_cast<std::ptrdiff_t>(end));
  for (std::size_t i = std::max(begin, step.at); i < end; ++i) {
    for (double& value : kept[i - begin]) value *= 1 + step.step;
  }
  return kept;
}

std::vector<AnnotatedSeries> read_annotated(const std::filesystem::path& folder) {
  const json annotations = json::parse(std::ifstream(folder / "annotations.json"));
  std::vector<AnnotatedSeries> all;
  for (const auto& [name, by_person] : annotations.items()) {
    const auto file = folder / "datasets" / name / (name + ".json");
    if (name == "run_log" || name.starts_with("quality_control") ||
        !std::filesystem::exists(file)) {
      continue;
    }
    AnnotatedSeries series{name, {}, {}};
    const json data = json::parse(std::ifstream(file));
    for (const json& value : data.at("series").at(0).at("raw")) {
      const bool is_there = value.is_number() && std::isfinite(value.get<double>());
      if (!is_there && series.values.empty()) continue;
      series.values.push_back(is_there ? value.get<double>() : series.values.back());
    }
    for (const auto& [person, changes] : by_person.items()) {
      series.annotations.push_back(changes.get<std::vector<std::size_t>>());
    }
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace benchhud::eval
