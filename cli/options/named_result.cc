#include "cli/options/named_result.h"

#include <fmt/format.h>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <charconv>
#include <vector>

#include "schema/results/artifact_writer.h"
#include "schema/results/reader.h"

namespace benchhud::cli {

using schema::ArtifactResult;
using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::ExperimentId;

namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end) return std::nullopt;
  return value;
}

bool fits(const schema::Experiment& experiment, const std::vector<std::string>& words) {
  if (experiment.model != words[1] || experiment.test != words[2]) return false;
  if (experiment.backend() != words[3]) return false;
  return words.size() < 5 || experiment.batch_size == whole_number(words[4]);
}

}  // namespace

Expected<ArtifactResult> find_result(Connection& store, const std::string& text) {
  std::vector<std::string> words;
  boost::split(words, text, boost::is_any_of("/"));
  if (words.size() != 2 && words.size() != 4 && words.size() != 5) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} names no result: give RUN/EXPERIMENT or "
                             "RUN/MODEL/TEST/BACKEND[/BATCH SIZE]",
                             text)};
  }
  schema::Reader reader(store);
  BENCHHUD_ASSIGN(const schema::Run run, reader.find_run(words[0]));
  if (words.size() == 2) {
    const auto id = whole_number(words[1]);
    if (!id) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("{} is no experiment's id", words[1])};
    }
    BENCHHUD_ASSIGN(const auto found, reader.result(run.id, ExperimentId(*id)));
    return ArtifactResult{found.run, found.experiment};
  }
  BENCHHUD_ASSIGN(const auto results, reader.results(run.id));
  std::vector<ArtifactResult> found;
  for (const auto& result : results) {
    BENCHHUD_ASSIGN(const auto stored, reader.experiment(result.experiment));
    if (fits(stored.experiment, words)) found.push_back({run.id, result.experiment});
  }
  if (found.empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no result {}", text)};
  }
  if (found.size() > 1) {
    return Error{ErrorCode::kAmbiguous,
                 fmt::format("{} results are called {}: add the batch size, or give an "
                             "experiment's id",
                             found.size(), text)};
  }
  return found.front();
}

Expected<schema::ResultKey> named_result(Connection& store, const std::string& text) {
  BENCHHUD_ASSIGN(const ArtifactResult result, find_result(store, text));
  return schema::key_of_result(store, result.run, result.experiment);
}

}  // namespace benchhud::cli
