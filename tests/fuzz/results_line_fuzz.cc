// The reader of results.jsonl lines: never crashes, and what it accepts is what ResultsLine
// promises.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ingest/results/results_line_text.h"

namespace {

using benchhud::ingest::ResultsLine;
using benchhud::ingest::ResultsLineParser;
using benchhud::schema::SampleShape;

void require(bool condition) {
  if (!condition) std::abort();
}

bool is_json(std::string_view text) { return nlohmann::json::accept(text); }

void check(const ResultsLine& line) {
  require(!line.experiment.model.empty());
  require(is_json(line.experiment.flags) && line.experiment.flags.front() == '{');
  require(line.extra.empty() || (is_json(line.extra) && line.extra.front() == '{'));
  require(!line.timestamp || std::isfinite(*line.timestamp));
  require(!line.verification_code || !line.verification_code->empty());
  require(line.experiment.identity().starts_with(line.experiment.family()));
  for (const auto& metric : line.metrics) {
    require(benchhud::schema::has_samples(metric.shape) || metric.samples.empty());
    require(metric.shape != SampleShape::kScalar || metric.samples.size() == 1);
    require(metric.shape == SampleShape::kNested ? is_json(metric.json) : metric.json.empty());
  }
}

void require_same(const ResultsLine& a, const ResultsLine& b) {
  require(a.experiment == b.experiment);
  require(a.extra == b.extra);
  require(a.error == b.error);
  require(a.origin == b.origin);
  require(a.timestamp == b.timestamp);
  require(a.verification_code == b.verification_code);
  require(a.metrics.size() == b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    const auto& left = a.metrics[i];
    const auto& right = b.metrics[i];
    require(left.metric == right.metric && left.shape == right.shape && left.json == right.json);
    require(left.samples.size() == right.samples.size());
    for (std::size_t j = 0; j < left.samples.size(); ++j) {
      require(std::bit_cast<std::uint64_t>(left.samples[j]) ==
              std::bit_cast<std::uint64_t>(right.samples[j]));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static ResultsLineParser used_parser;
  static ResultsLine used_line;
  const auto reason = used_parser.parse(text, &used_line);
  // As a large line is read.
  ResultsLineParser fresh_parser(0);
  ResultsLine fresh_line;
  require(fresh_parser.parse(text, &fresh_line) == reason);
  if (reason) {
    require(!reason->empty());
    return 0;
  }
  check(used_line);
  // A parser that has read other lines, and one that reads large lines, read the same.
  require_same(used_line, fresh_line);
  // And so is what is written of it.
  std::string written;
  benchhud::ingest::append_results_line(used_line, &written);
  require(!fresh_parser.parse(written, &fresh_line));
  require_same(used_line, fresh_line);
  return 0;
}
