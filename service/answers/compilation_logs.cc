#include "service/answers/compilation_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "schema/base/count_text.h"
#include "schema/results/torch_trace_store.h"

namespace benchhud::service {

using analysis::CompilationLog;
using schema::Artifact;
using schema::ArtifactFilter;
using schema::ArtifactId;
using schema::ArtifactKind;
using schema::ArtifactResult;
using schema::Expected;
using schema::Reader;

namespace {

/// A log of a result, by which it is paired.
struct KeptLog {
  Artifact artifact;
  std::optional<std::int64_t> rank;
  std::string begun_at;  ///< of its first compilation; "" where it has none
};

std::string words_of(std::optional<std::int64_t> rank) {
  return rank ? fmt::format("rank {}", *rank) : "a process without a rank";
}

Expected<std::vector<Artifact>> logs_of(Reader& reader, ArtifactResult result) {
  ArtifactFilter filter;
  filter.result = result;
  filter.kind = ArtifactKind::kTorchTrace;
  filter.with_superseded = false;
  filter.limit = std::numeric_limits<std::size_t>::max();
  return reader.artifacts(filter);
}

// Logs of which something is kept, by rank and time; of the others it is said why not.
Expected<std::vector<KeptLog>> kept_logs(Reader& reader, ArtifactResult result,
                                         std::vector<std::string>* unknown) {
  BENCHHUD_ASSIGN(auto artifacts, logs_of(reader, result));
  std::vector<KeptLog> logs;
  for (Artifact& artifact : artifacts) {
    BENCHHUD_ASSIGN(const auto summary, schema::torch_trace_of(reader.connection(), artifact.id));
    if (!summary) {
      unknown->push_back(fmt::format("Nothing is kept of {}{}.", artifact.name,
                                     artifact.error ? ": " + *artifact.error : ""));
      continue;
    }
    BENCHHUD_ASSIGN(const auto first,
                    schema::compilations_of(reader.connection(), artifact.id, -1, 1));
    const std::string begun_at = first.empty() ? "" : first.front().compilation.logged_at;
    logs.push_back({std::move(artifact), summary->rank, begun_at});
  }
  std::sort(logs.begin(), logs.end(), [](const KeptLog& a, const KeptLog& b) {
    return std::tie(a.rank, a.begun_at, a.artifact.id) <
           std::tie(b.rank, b.begun_at, b.artifact.id);
  });
  return logs;
}

// Sets the logs of each rank against each other, as many as both sides have. `unknown`: what is
// said of logs that are not among them.
std::vector<std::pair<KeptLog, KeptLog>> pair_logs(const std::vector<KeptLog>& before,
                                                   const std::vector<KeptLog>& after,
                                                   std::vector<std::string>* unknown) {
  using Side = std::vector<const KeptLog*>;
  std::map<std::optional<std::int64_t>, std::pair<Side, Side>> ranks;
  for (const KeptLog& log : before) ranks[log.rank].first.push_back(&log);
  for (const KeptLog& log : after) ranks[log.rank].second.push_back(&log);
  // The only log of a side may be of the same process though one of them does not say its rank.
  if (before.size() == 1 && after.size() == 1 && unknown->empty()) {
    const auto &was = before.front().rank, &is = after.front().rank;
    if (!was || !is || was == is) return {{before.front(), after.front()}};
  }
  std::vector<std::pair<KeptLog, KeptLog>> pairs;
  for (const auto& [rank, sides] : ranks) {
    const auto& [was, is] = sides;
    for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
      pairs.emplace_back(*was[i], *is[i]);
    }
    if (was.size() == is.size()) continue;
    unknown->push_back(fmt::format(
        "Of {} there are {} before and {} after: the rest has no counterpart.", words_of(rank),
        schema::count_text(was.size(), "log"), schema::count_text(is.size(), "log")));
  }
  return pairs;
}

}  // namespace

Expected<std::optional<CompilationLog>> compilation_log_of(Reader& reader, ArtifactId artifact) {
  schema::Connection& connection = reader.connection();
  BENCHHUD_ASSIGN(const auto summary, schema::torch_trace_of(connection, artifact));
  if (!summary) return std::optional<CompilationLog>();
  CompilationLog log;
  log.damaged_payloads = summary->damaged_payloads;
  log.unreadable_lines = summary->unreadable_lines;
  log.omitted = summary->omitted;
  constexpr std::size_t kAll = std::numeric_limits<std::int64_t>::max();
  BENCHHUD_ASSIGN(auto compilations, schema::compilations_of(connection, artifact, -1, kAll));
  BENCHHUD_ASSIGN(auto outputs, schema::outputs_by_compilation(connection, artifact));
  log.compilations.reserve(compilations.size());
  for (schema::StoredCompilation& one : compilations) {
    auto& its = outputs[one.ordinal];
    log.compilations.push_back({std::move(one), std::move(its)});
  }
  return std::optional(std::move(log));
}

Expected<bool> has_compilation_log(Reader& reader, ArtifactResult result) {
  BENCHHUD_ASSIGN(const auto artifacts, logs_of(reader, result));
  for (const Artifact& artifact : artifacts) {
    BENCHHUD_ASSIGN(const auto summary, schema::torch_trace_of(reader.connection(), artifact.id));
    if (summary) return true;
  }
  return false;
}

Expected<CompilationLogsDiff> diff_of_compilations(Reader& reader, ArtifactResult before,
                                                   ArtifactResult after) {
  CompilationLogsDiff diff;
  BENCHHUD_ASSIGN(const auto was, kept_logs(reader, before, &diff.unknown));
  BENCHHUD_ASSIGN(const auto is, kept_logs(reader, after, &diff.unknown));
  const auto pairs = pair_logs(was, is, &diff.unknown);
  const analysis::ReadText read_text = [&](schema::TextId text) { return reader.text(text); };
  for (const auto& [earlier, later] : pairs) {
    BENCHHUD_ASSIGN(const auto first, compilation_log_of(reader, earlier.artifact.id));
    BENCHHUD_ASSIGN(const auto second, compilation_log_of(reader, later.artifact.id));
    BENCHHUD_ASSIGN(auto compared,
                    analysis::compare_compilations(
                        *first, *second, read_text,
                        analysis::kMostTextOfLogs / static_cast<std::int64_t>(pairs.size())));
    diff.pairs.push_back({earlier.artifact, later.artifact, later.rank, std::move(compared)});
  }
  return diff;
}

std::vector<std::string> compilation_parts(const CompilationLogsDiff& diff) {
  struct Alike {
    std::vector<std::string> parts, ranks;
  };
  std::vector<Alike> groups;
  for (const CompilationLogPair& pair : diff.pairs) {
    auto parts = analysis::compilation_parts(pair.diff);
    if (parts.empty()) continue;
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const Alike& one) { return one.parts == parts; });
    Alike& group = same != groups.end() ? *same : groups.emplace_back(Alike{std::move(parts), {}});
    group.ranks.push_back(words_of(pair.rank));
  }
  if (groups.empty()) return {};
  if (groups.size() == 1) {
    Alike& all = groups.front();
    if (diff.pairs.size() > 1) {
      all.parts.push_back(all.ranks.size() == diff.pairs.size()
                              ? fmt::format("alike in all {} logs", diff.pairs.size())
                              : fmt::format("only in {}", fmt::join(all.ranks, ", ")));
    }
    return std::move(all.parts);
  }
  std::vector<std::string> parts;
  for (const Alike& group : groups) {
    parts.push_back(
        fmt::format("{}: {}", fmt::join(group.ranks, ", "), fmt::join(group.parts, "; ")));
  }
  return parts;
}

std::string compilation_sentence(const CompilationLogsDiff& diff) {
  return fmt::format("{}", fmt::join(compilation_parts(diff), "; "));
}

}  // namespace benchhud::service
