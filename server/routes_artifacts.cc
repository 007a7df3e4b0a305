// Dumps: which there are, what is in them, and what differs between two.
#include <algorithm>
#include <array>
#include <utility>

#include "analysis/profile_findings.h"
#include "server/artifact_content.h"
#include "server/artifact_json.h"
#include "server/route_parts.h"
#include "server/utf8.h"

namespace benchhud::server {
namespace {

using analysis::ProfileComparison;
using schema::Artifact;
using schema::ArtifactFilter;
using schema::ArtifactId;
using schema::ArtifactKind;
using schema::ArtifactResult;
using schema::Expected;
using schema::to_int;

std::string revision_key(const Ask& ask) { return std::to_string(ask.snapshot().revision); }

Expected<ArtifactResult> asked_result(Ask& ask, std::string_view run_name,
                                      std::string_view experiment_name) {
  BENCHHUD_ASSIGN(const RunEntry* const run, find_run(ask, ask.query.text(run_name), run_name, ""));
  const schema::ExperimentId experiment{ask.query.integer(experiment_name)};
  const auto result = ask.reader().result(run->run.id, experiment);
  if (!result) return wrong_parameter(ask, experiment_name, "There is no such result in the run.");
  return ArtifactResult{run->run.id, experiment};
}

Expected<ArtifactFilter> asked_filter(Ask& ask) {
  const Query& query = ask.query;
  ArtifactFilter filter;
  if (query.has("kind")) filter.kind = schema::artifact_kind_of(query.text("kind"));
  filter.only_orphans = query.boolean("orphaned");
  filter.with_superseded = query.boolean("superseded");
  if (query.has("experiment")) {
    if (!query.has("run")) {
      return wrong_parameter(ask, "experiment",
                             "An experiment's dumps are those of a run: give `run`.");
    }
    BENCHHUD_ASSIGN(filter.result, asked_result(ask, "run", "experiment"));
  } else if (query.has("run")) {
    BENCHHUD_ASSIGN(const RunEntry* const run, asked_run(ask));
    filter.run = run->run.id;
  }
  return filter;
}

Expected<std::string> write_artifacts(Ask& ask, ArtifactFilter filter,
                                      const std::optional<Cursor>& cursor) {
  const std::size_t limit = ask.query.size("limit");
  if (cursor) filter.before = ArtifactId{cursor->numbers[0]};
  filter.limit = limit + 1;
  BENCHHUD_ASSIGN(auto artifacts, ask.reader().artifacts(filter));
  const bool more = artifacts.size() > limit;
  if (more) artifacts.pop_back();
  std::string body;
  JsonWriter json(&body);
  begin_page(json);
  for (const Artifact& artifact : artifacts) write_artifact(json, artifact, ask.snapshot());
  BENCHHUD_ASSIGN(const std::int64_t total, ask.reader().artifact_count(filter));
  std::optional<std::string> next;
  if (more) next = make_cursor(cursor_scope(ask), {to_int(artifacts.back().id)});
  end_page(json, next, total);
  return body;
}

Expected<Plan> list_artifacts(Ask& ask) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(ask, 1));
  BENCHHUD_ASSIGN(ArtifactFilter filter, asked_filter(ask));
  return Plan{revision_key(ask),
              [&ask, filter, cursor] { return write_artifacts(ask, filter, cursor); }};
}

Expected<Artifact> asked_artifact(Ask& ask, std::string_view parameter) {
  auto artifact = ask.reader().artifact(ArtifactId{ask.query.integer(parameter)});
  if (!artifact) ask.wrong_parameter = parameter;
  return artifact;
}

Expected<Plan> get_artifact(Ask& ask) {
  BENCHHUD_ASSIGN(Artifact artifact, asked_artifact(ask, "id"));
  return Plan{revision_key(ask), [&ask, artifact]() -> Expected<std::string> {
                std::string body;
                JsonWriter json(&body);
                write_artifact(json, artifact, ask.snapshot());
                return body;
              }};
}

// What an artifact holds does not change: its id is all that the answer hangs on.
Expected<Plan> get_text(Ask& ask) {
  BENCHHUD_ASSIGN(const Artifact artifact, asked_artifact(ask, "id"));
  if (!artifact.text) {
    return wrong_parameter(
        ask, "id",
        artifact.trace ? "A trace is not kept as text." : "Nothing of this dump could be kept.");
  }
  return Plan{artifact.content_hash,
              [&ask, text = *artifact.text]() -> Expected<std::string> {
                BENCHHUD_ASSIGN(const std::string bytes, ask.reader().text(text));
                return to_valid_utf8(bytes);
              },
              "text/plain; charset=utf-8"};
}

Expected<Plan> get_content(Ask& ask) {
  BENCHHUD_ASSIGN(Artifact artifact, asked_artifact(ask, "id"));
  return Plan{revision_key(ask), [&ask, artifact]() -> Expected<std::string> {
                std::string body;
                JsonWriter json(&body);
                json.begin_object();
                json.key("artifact");
                write_artifact(json, artifact, ask.snapshot());
                BENCHHUD_TRY(write_content_fields(json, ask.reader(), artifact));
                json.end_object();
                return body;
              }};
}

// Two dumps of one kind, compared.
struct Pair {
  Artifact before, after;
  ProfileComparison comparison;
};

Expected<Pair> compare(schema::Reader& reader, Artifact before, Artifact after) {
  Pair pair{std::move(before), std::move(after), {}};
  pair.comparison.kind = pair.before.kind;
  BENCHHUD_ASSIGN(const auto was, sections_of(reader, pair.before));
  BENCHHUD_ASSIGN(const auto is, sections_of(reader, pair.after));
  pair.comparison.sections = analysis::compare_sections(was, is);
  return pair;
}

void write_pair(JsonWriter& json, const Pair& pair, const Snapshot& snapshot, std::size_t most) {
  json.begin_object();
  json.field("kind", artifact_kind_name(pair.before.kind));
  json.key("before");
  write_artifact(json, pair.before, snapshot);
  json.key("after");
  write_artifact(json, pair.after, snapshot);
  json.key("sections");
  write_section_differences(json, pair.comparison.sections, most);
  json.end_object();
}

void write_findings(JsonWriter& json, const std::vector<analysis::ProfileFinding>& findings) {
  json.key("findings");
  json.list(findings, [&](const analysis::ProfileFinding& finding) {
    json.begin_object();
    json.field("topic", topic_name(finding.topic));
    json.field("kind", artifact_kind_name(finding.kind));
    json.field("sentence", finding.sentence);
    json.key("names");
    json.list(finding.names, [&](const std::string& name) { json.value(name); });
    json.end_object();
  });
}

Expected<Plan> diff_artifacts(Ask& ask) {
  BENCHHUD_ASSIGN(Artifact before, asked_artifact(ask, "before"));
  BENCHHUD_ASSIGN(Artifact after, asked_artifact(ask, "after"));
  if (before.kind != after.kind) {
    return wrong_parameter(ask, "after", "Only two dumps of one kind can be compared.");
  }
  return Plan{revision_key(ask), [&ask, before, after]() -> Expected<std::string> {
                BENCHHUD_ASSIGN(const Pair pair, compare(ask.reader(), before, after));
                std::string body;
                JsonWriter json(&body);
                json.begin_object();
                json.key("pair");
                write_pair(json, pair, ask.snapshot(), ask.query.size("limit"));
                write_findings(json, analysis::profile_findings({pair.comparison}));
                json.end_object();
                return body;
              }};
}

// A result's dumps that can be compared, each by what it is and of what.
std::vector<Artifact> comparable(std::vector<Artifact> artifacts) {
  std::erase_if(artifacts, [](const Artifact& artifact) {
    return artifact.kind == ArtifactKind::kXplane || (!artifact.text && !artifact.trace);
  });
  std::sort(artifacts.begin(), artifacts.end(), [](const Artifact& a, const Artifact& b) {
    return std::tie(a.kind, a.repetition, a.part, a.id) <
           std::tie(b.kind, b.repetition, b.part, b.id);
  });
  return artifacts;
}

// What counters, compile times and graphs tell happens in the first repetition, which compiles; how
// fast a model is, in the last, behind the warm-up.
bool is_of_first_repetition(ArtifactKind kind) {
  return kind != ArtifactKind::kTrace && kind != ArtifactKind::kOperatorTable;
}

// Of each kind the comparison that says most; what is no repetition's only where there is none.
std::vector<ProfileComparison> telling(const std::vector<Pair>& pairs) {
  const auto is_better = [](const Pair& pair, const Pair& than) {
    const auto repetition = pair.before.repetition, other = than.before.repetition;
    if (!repetition || !other) return repetition.has_value();
    return is_of_first_repetition(pair.before.kind) ? *repetition < *other : *repetition > *other;
  };
  std::vector<const Pair*> best;
  for (const Pair& pair : pairs) {
    const auto same = std::find_if(best.begin(), best.end(), [&](const Pair* known) {
      return known->before.kind == pair.before.kind && known->before.part == pair.before.part;
    });
    if (same == best.end()) {
      best.push_back(&pair);
    } else if (is_better(pair, **same)) {
      *same = &pair;
    }
  }
  std::vector<ProfileComparison> comparisons;
  comparisons.reserve(best.size());
  for (const Pair* pair : best) comparisons.push_back(pair->comparison);
  return comparisons;
}

Expected<std::string> write_result_diff(Ask& ask, ArtifactResult before, ArtifactResult after) {
  const auto dumps_of = [&](ArtifactResult result) -> Expected<std::vector<Artifact>> {
    ArtifactFilter filter;
    filter.result = result;
    filter.with_superseded = false;
    BENCHHUD_ASSIGN(auto artifacts, ask.reader().artifacts(filter));
    return comparable(std::move(artifacts));
  };
  BENCHHUD_ASSIGN(std::vector<Artifact> was, dumps_of(before));
  BENCHHUD_ASSIGN(std::vector<Artifact> is, dumps_of(after));
  std::vector<Pair> pairs;
  std::vector<Artifact> only_before;
  for (Artifact& artifact : was) {
    const auto other = std::find_if(is.begin(), is.end(), [&](const Artifact& candidate) {
      return candidate.kind == artifact.kind && candidate.repetition == artifact.repetition &&
             candidate.part == artifact.part;
    });
    if (other == is.end()) {
      only_before.push_back(std::move(artifact));
      continue;
    }
    BENCHHUD_ASSIGN(Pair pair, compare(ask.reader(), std::move(artifact), std::move(*other)));
    is.erase(other);
    pairs.push_back(std::move(pair));
  }
  std::string body;
  JsonWriter json(&body);
  json.begin_object();
  write_findings(json, analysis::profile_findings(telling(pairs)));
  json.key("pairs");
  json.list(pairs, [&](const Pair& pair) {
    write_pair(json, pair, ask.snapshot(), ask.query.size("limit"));
  });
  for (const auto& [key, rest] :
       {std::pair("only_before", &only_before), std::pair("only_after", &is)}) {
    json.key(key);
    json.list(*rest,
              [&](const Artifact& artifact) { write_artifact(json, artifact, ask.snapshot()); });
  }
  json.end_object();
  return body;
}

Expected<Plan> diff_results(Ask& ask) {
  BENCHHUD_ASSIGN(const auto before, asked_result(ask, "before_run", "before_experiment"));
  BENCHHUD_ASSIGN(const auto after, asked_result(ask, "run", "experiment"));
  return Plan{revision_key(ask),
              [&ask, before, after] { return write_result_diff(ask, before, after); }};
}

constexpr std::array kRoutes = {
    NamedRoute{"listArtifacts", list_artifacts}, NamedRoute{"getArtifact", get_artifact},
    NamedRoute{"getArtifactText", get_text},     NamedRoute{"getArtifactContent", get_content},
    NamedRoute{"diffArtifacts", diff_artifacts}, NamedRoute{"diffResults", diff_results}};

}  // namespace

std::span<const NamedRoute> artifact_routes() { return kRoutes; }

}  // namespace benchhud::server
