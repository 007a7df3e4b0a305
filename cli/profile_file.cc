#include "profile_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "ingest/key_averages.h"
#include "ingest/source_file.h"
#include "ingest/trace_reader.h"
#include "ingest/xla_metrics.h"

namespace benchhud::cli {

using analysis::profile_sections;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

// Tables, reports and counters are texts of kilobytes; traces are read piece by piece.
constexpr std::size_t kLongestText = std::size_t{64} << 20;

// What is longer is none: "".
Expected<std::string> read_text(const std::string& path) {
  BENCHHUD_ASSIGN(ingest::SourceFile file, ingest::SourceFile::open(path));
  std::string text;
  for (;;) {
    BENCHHUD_ASSIGN(const std::size_t count, file.read(1 << 20, &text));
    if (text.size() > kLongestText) return std::string();
    if (count == 0) return text;
  }
}

std::vector<std::string> sentences(const std::vector<schema::DumpProblem>& problems) {
  std::vector<std::string> found;
  for (const schema::DumpProblem& problem : problems) {
    found.push_back(fmt::format("line {}: {}", problem.line, problem.reason));
  }
  return found;
}

std::vector<std::string> sentences(const std::vector<schema::TraceProblem>& problems) {
  std::vector<std::string> found;
  for (const schema::TraceProblem& problem : problems) {
    found.push_back(fmt::format("byte {}: {}", problem.offset + 1, problem.reason));
  }
  return found;
}

// {group: {counter: n}}; nothing if it is none.
std::optional<schema::DynamoCounters> read_counters(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  schema::DynamoCounters counters;
  for (const auto& [group, members] : json.items()) {
    if (!members.is_object()) return std::nullopt;
    counters.groups.push_back({group, {}});
    for (const auto& [name, count] : members.items()) {
      if (!count.is_number()) return std::nullopt;
      counters.groups.back().counters.emplace_back(name, count.get<std::int64_t>());
    }
  }
  return counters;
}

}  // namespace

Expected<ProfileFile> read_profile_file(const std::string& path) {
  Expected<schema::Trace> trace = ingest::read_trace(path);
  if (trace) return ProfileFile{"trace", profile_sections(*trace), sentences(trace->problems)};
  if (trace.error().code != ErrorCode::kUnsupported) return trace.error();
  BENCHHUD_ASSIGN(const std::string text, read_text(path));
  if (const auto counters = read_counters(text)) {
    return ProfileFile{"dynamo counters", profile_sections(*counters), {}};
  }
  const ingest::KeyAverages read = ingest::read_key_averages(text);
  if (!read.tables.empty()) {
    return ProfileFile{"operator table", profile_sections(read.tables), sentences(read.problems)};
  }
  const ingest::XlaMetrics metrics = ingest::read_xla_metrics(text);
  if (!metrics.report.metrics.empty() || !metrics.report.counters.empty()) {
    return ProfileFile{"metrics report", profile_sections(metrics.report),
                       sentences(metrics.problems)};
  }
  return Error{
      ErrorCode::kUnsupported,
      fmt::format("{} is no operator table, metrics report, dynamo counters or trace", path)};
}

}  // namespace benchhud::cli
