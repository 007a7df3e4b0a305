// Series of shared/data/changepoint, whose READMEs tell where they are from and how truth is
// encoded.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace benchhud::eval {

/// Measurements of each build, oldest first.
using Builds = std::vector<std::vector<double>>;

/// A step that was put into a series.
struct StepCase {
  std::string series;
  double step = 0;     ///< 0.1: 10 % more from `at` on
  std::size_t at = 0;  ///< a build
};

/// Nightly tests of a database, none of which holds a regression, and steps to put into them.
struct StepData {
  std::map<std::string, Builds> series;
  std::vector<StepCase> offline, delay;
};
StepData read_steps(const std::filesystem::path& folder);

/// The series from build `begin` to before `end`, with a case's step.
Builds builds_of(const Builds& builds, std::size_t begin, std::size_t end, const StepCase& step);

/// A series of the Turing Change Point Dataset with what five people made of it.
struct AnnotatedSeries {
  std::string name;
  std::vector<double> values;  ///< missing ones as the one before
  std::vector<std::vector<std::size_t>> annotations;
};
/// All but run_log, which has many dimensions, and quality_control_*, whose truth is known.
std::vector<AnnotatedSeries> read_annotated(const std::filesystem::path& folder);

}  // namespace benchhud::eval
