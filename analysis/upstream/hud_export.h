// Lines of the store as records of the PyTorch HUD, version 3: docs/neighbours.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <tuple>

#include "schema/model/types.h"
#include "schema/results/line_replay.h"

namespace benchhud::analysis {

/// How results.jsonl has what is stored (ingest/results/results_line_text.h): this module knows
/// nothing of its format.
struct ResultsText {
  /// A line as a JSON object, without its metrics and its error.
  std::function<std::string(const schema::StoredResultLine&)> line;
  /// A metric's value.
  std::function<std::string(const schema::Measurement&)> value;
};

/// Writes the records of one run. Two passes: note() sees every line of the run, then write() every
/// line again.
class HudExport {
 public:
  /// `repository`: of the records; the run's label of its short name is the commit.
  HudExport(schema::Run run, std::string repository, ResultsText text);

  /// Learns the time of eager, for speedups are over it.
  void note(const schema::StoredResultLine& line);
  /// Gives the records of a line, each a JSON text of one line: none of what an import worked out.
  void write(const schema::StoredResultLine& line,
             const std::function<void(const std::string&)>& give);

 private:
  using Workload =
      std::tuple<std::string, std::string, std::string, std::string, std::optional<std::int64_t>>;

  static Workload workload_of(const schema::Experiment& experiment);
  std::string head_sha() const;
  std::string own_text(const schema::StoredResultLine& line) const;
  nlohmann::ordered_json own_metric(const schema::Measurement& metric) const;

  const schema::Run run_;
  const std::string repository_;
  const ResultsText text_;
  std::map<Workload, double> eager_;  // s
};

}  // namespace benchhud::analysis
