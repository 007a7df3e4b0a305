#include "profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "analysis/compiled_regions.h"
#include "analysis/device_activity.h"
#include "ingest/key_averages.h"
#include "ingest/source_file.h"
#include "ingest/trace_reader.h"
#include "ingest/xla_metrics.h"

namespace benchhud::cli {

using analysis::ProfileItem;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::OperatorTable;

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

void add_count(std::string name, double count, ProfileSection* section) {
  section->items.push_back({std::move(name), count, count});
}

// Its "Self CPU" and what it calls the device's self time ("Self CUDA"), each a section.
ProfileFile from_tables(const ingest::KeyAverages& read) {
  ProfileFile file;
  file.kind = "operator table";
  const double share = 1.0 / static_cast<double>(read.tables.size());
  for (const OperatorTable& table : read.tables) {
    const auto name = table.column("Name"), calls = table.column("# of Calls");
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const std::string& header = table.columns[column].name;
      if (table.columns[column].kind != schema::OperatorColumn::Kind::kTime ||
          !header.starts_with("Self ")) {
        continue;
      }
      const std::string of = "self " + header.substr(5) + " time";
      auto section = std::find_if(file.sections.begin(), file.sections.end(),
                                  [&](const ProfileSection& known) { return known.of == of; });
      if (section == file.sections.end()) {
        file.sections.push_back({of, true, {}, {}});
        section = file.sections.end() - 1;
      }
      for (const auto& row : table.rows) {
        section->items.push_back({row[*name].text, row[column].value.value_or(0) * share,
                                  calls ? row[*calls].value.value_or(0) * share : 0});
      }
      for (const auto& [what, ns] : table.totals) {
        if (what == header + " time total")
          section->total = section->total.value_or(0) + ns * share;
      }
    }
  }
  file.problems = sentences(read.problems);
  return file;
}

ProfileFile from_metrics(const ingest::XlaMetrics& read) {
  ProfileFile file;
  file.kind = "metrics report";
  ProfileSection times{"time of metrics", true, {}, {}};
  ProfileSection others{"other metrics", false, {}, {}};
  ProfileSection counters{"counters", false, {}, {}};
  for (const schema::XlaMetric& metric : read.report.metrics) {
    if (!metric.accumulator) continue;
    const bool is_time = metric.accumulator->kind == schema::MetricValue::Kind::kTime;
    (is_time ? times : others)
        .items.push_back(
            {metric.name, metric.accumulator->value, static_cast<double>(metric.total_samples)});
  }
  for (const auto& [name, count] : read.report.counters) {
    add_count(name, static_cast<double>(count), &counters);
  }
  file.sections = {std::move(times), std::move(others), std::move(counters)};
  file.problems = sentences(read.problems);
  return file;
}

// {group: {counter: n}}; nothing if it is none.
std::optional<ProfileFile> from_counters(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  ProfileFile file;
  file.kind = "dynamo counters";
  ProfileSection counters{"counters", false, {}, {}};
  for (const auto& [group, members] : json.items()) {
    if (!members.is_object()) return std::nullopt;
    for (const auto& [name, count] : members.items()) {
      if (!count.is_number()) return std::nullopt;
      add_count(group + ": " + name, count.get<double>(), &counters);
    }
  }
  file.sections.push_back(std::move(counters));
  return file;
}

ProfileFile from_trace(const schema::Trace& trace) {
  const schema::TraceNesting nesting = schema::nest(trace);
  const analysis::CompiledRegions regions = analysis::compiled_regions(trace, nesting);
  const analysis::CompiledFunctions functions = analysis::compiled_functions(trace);
  const analysis::DeviceActivity activity =
      analysis::device_activity(trace, analysis::device_slices(trace, nesting));
  ProfileFile file;
  file.kind = "trace";
  ProfileSection counts{"counts", false, {}, {}};
  const auto add = [&](std::string name, std::int64_t count) {
    if (count != 0) add_count(std::move(name), static_cast<double>(count), &counts);
  };
  add("graph breaks", regions.graph_breaks);
  add("graph breaks, distinct frames", regions.graph_breaks_distinct.value_or(0));
  add("recompilations", regions.recompiles.value_or(0));
  add("compiled regions", regions.count);
  for (const auto& [frame, count] : regions.by_frame) add("compiled region " + frame, count);
  add("compiled functions, forward", functions.forward);
  add("compiled functions, backward", functions.backward);
  for (const auto& [name, count] : activity.launches) add("launches by " + name, count);
  file.sections.push_back(std::move(counts));
  file.sections.push_back(
      {"self time on the host", true, analysis::self_times(trace, nesting, false), {}});
  file.sections.push_back(
      {"self time on the device", true, analysis::self_times(trace, nesting, true), {}});
  for (const schema::TraceProblem& problem : trace.problems) {
    file.problems.push_back(fmt::format("byte {}: {}", problem.offset + 1, problem.reason));
  }
  return file;
}

}  // namespace

Expected<ProfileFile> read_profile_file(const std::string& path) {
  Expected<schema::Trace> trace = ingest::read_trace(path);
  if (trace) return from_trace(*trace);
  if (trace.error().code != ErrorCode::kUnsupported) return trace.error();
  BENCHHUD_ASSIGN(const std::string text, read_text(path));
  if (auto counters = from_counters(text)) return *std::move(counters);
  const ingest::KeyAverages tables = ingest::read_key_averages(text);
  if (!tables.tables.empty()) return from_tables(tables);
  const ingest::XlaMetrics metrics = ingest::read_xla_metrics(text);
  if (!metrics.report.metrics.empty() || !metrics.report.counters.empty()) {
    return from_metrics(metrics);
  }
  return Error{
      ErrorCode::kUnsupported,
      fmt::format("{} is no operator table, metrics report, dynamo counters or trace", path)};
}

}  // namespace benchhud::cli
