// Dumps: which there are, what is in them, and what differs between two.
#include <algorithm>
#include <array>
#include <utility>

#include "analysis/profiles/profile_findings.h"
#include "schema/base/utf8.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/answers/artifact_content.h"
#include "service/answers/result_diff.h"
#include "views/artifact_json.h"

namespace benchhud::server {
namespace {

using schema::Artifact;
using schema::ArtifactFilter;
using schema::ArtifactId;
using schema::ArtifactResult;
using schema::Expected;
using schema::to_int;

ArtifactResult place_of(const AskedResult& result) {
  return {result.run->run.id, result.entry->id()};
}

Expected<ArtifactFilter> asked_artifact_filter(RequestContext& context) {
  const Query& query = context.query;
  ArtifactFilter filter;
  if (query.has("kind")) filter.kind = schema::artifact_kind_of(query.text("kind"));
  filter.only_orphans = query.boolean("orphaned");
  filter.with_superseded = query.boolean("superseded");
  if (query.has("experiment")) {
    if (!query.has("run")) {
      return wrong_parameter(context, "experiment",
                             "An experiment's dumps are those of a run: give `run`.");
    }
    BENCHHUD_ASSIGN(const AskedResult result, asked_result(context));
    filter.result = place_of(result);
  } else if (query.has("run")) {
    BENCHHUD_ASSIGN(const service::RunEntry* const run, asked_run(context));
    filter.run = run->run.id;
  }
  return filter;
}

Expected<void> write_artifacts(RequestContext& context, schema::JsonWriter& json,
                               ArtifactFilter filter, const std::optional<Cursor>& cursor) {
  const std::size_t limit = context.query.size("limit");
  if (cursor) filter.before = ArtifactId{cursor->numbers[0]};
  filter.limit = limit + 1;
  BENCHHUD_ASSIGN(auto artifacts, context.reader().artifacts(filter));
  const bool more = artifacts.size() > limit;
  if (more) artifacts.pop_back();
  begin_page(json);
  for (const Artifact& artifact : artifacts)
    views::write_artifact(json, artifact, context.snapshot());
  BENCHHUD_ASSIGN(const std::int64_t total, context.reader().artifact_count(filter));
  std::optional<std::string> next;
  if (more) next = make_cursor(cursor_scope(context), {to_int(artifacts.back().id)});
  end_page(json, next, total);
  return {};
}

Expected<ResponsePlan> list_artifacts(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 1));
  BENCHHUD_ASSIGN(ArtifactFilter filter, asked_artifact_filter(context));
  return ResponsePlan{revision_key(context), [&context, filter, cursor](schema::JsonWriter& json) {
                        return write_artifacts(context, json, filter, cursor);
                      }};
}

Expected<Artifact> asked_artifact(RequestContext& context, std::string_view parameter) {
  auto artifact = context.reader().artifact(ArtifactId{context.query.integer(parameter)});
  if (!artifact) context.wrong_parameter = parameter;
  return artifact;
}

Expected<ResponsePlan> get_artifact(RequestContext& context) {
  BENCHHUD_ASSIGN(Artifact artifact, asked_artifact(context, "id"));
  return ResponsePlan{revision_key(context),
                      [&context, artifact](schema::JsonWriter& json) -> Expected<void> {
                        views::write_artifact(json, artifact, context.snapshot());
                        return {};
                      }};
}

// What an artifact holds does not change: its id is all that the answer hangs on.
Expected<ResponsePlan> get_text(RequestContext& context) {
  BENCHHUD_ASSIGN(const Artifact artifact, asked_artifact(context, "id"));
  if (!artifact.text) {
    if (artifact.trace) return wrong_parameter(context, "id", "A trace is not kept as text.");
    const bool is_log = artifact.kind == schema::ArtifactKind::kTorchTrace && !artifact.error;
    return wrong_parameter(context, "id",
                           is_log
                               ? "Of a log of TORCH_TRACE its compilations are kept, not its text."
                               : "Nothing of this dump could be kept.");
  }
  const std::size_t offset = context.query.size("offset");
  const std::size_t length =
      context.query.has("length") ? context.query.size("length") : std::string::npos;
  return ResponsePlan{
      artifact.content_hash,
      [&context, text = *artifact.text, offset, length]() -> Expected<std::string> {
        BENCHHUD_ASSIGN(const std::string bytes, context.reader().text(text));
        return schema::to_valid_utf8(schema::whole_characters(bytes, offset, length));
      },
      "text/plain; charset=utf-8"};
}

Expected<ResponsePlan> get_content(RequestContext& context) {
  BENCHHUD_ASSIGN(Artifact artifact, asked_artifact(context, "id"));
  return ResponsePlan{
      revision_key(context), [&context, artifact](schema::JsonWriter& json) -> Expected<void> {
        json.begin_object();
        json.key("artifact");
        views::write_artifact(json, artifact, context.snapshot());
        BENCHHUD_ASSIGN(const auto content, service::content_of(context.reader(), artifact));
        views::write_content_fields(json, artifact.kind, content);
        json.end_object();
        return {};
      }};
}

void write_sections(schema::JsonWriter& json,
                    const std::optional<std::vector<analysis::SectionDifference>>& sections,
                    std::size_t most) {
  json.key("sections");
  if (sections) {
    views::write_section_differences(json, *sections, most);
  } else {
    json.null();
  }
}

void write_pair(schema::JsonWriter& json, const service::ArtifactPair& pair,
                const service::Snapshot& snapshot, std::size_t most) {
  json.begin_object();
  json.field("kind", artifact_kind_name(pair.before.kind));
  json.key("before");
  views::write_artifact(json, pair.before, snapshot);
  json.key("after");
  views::write_artifact(json, pair.after, snapshot);
  json.field("telling", bool{pair.is_telling});
  write_sections(json, pair.sections, most);
  json.end_object();
}

void write_sum(schema::JsonWriter& json, const service::ArtifactSum& sum, std::size_t most) {
  json.begin_object();
  json.field("kind", artifact_kind_name(sum.kind));
  json.field("part", sum.part);
  json.field("before_count", sum.before_count);
  json.field("after_count", sum.after_count);
  write_sections(json, sum.sections, most);
  json.end_object();
}

void write_findings(schema::JsonWriter& json,
                    const std::vector<analysis::ProfileFinding>& findings) {
  json.key("findings");
  json.list(findings, [&](const analysis::ProfileFinding& finding) {
    json.begin_object();
    json.field("topic", topic_name(finding.topic));
    json.field("kind", artifact_kind_name(finding.kind));
    json.field("part", finding.part);
    json.field("sentence", finding.sentence);
    json.key("names");
    json.list(finding.names, [&](const std::string& name) { json.value(name); });
    json.end_object();
  });
}

Expected<void> write_artifact_diff(RequestContext& context, schema::JsonWriter& json,
                                   const Artifact& before, const Artifact& after) {
  BENCHHUD_ASSIGN(auto sections, service::compare_artifacts(context.reader(), before, after));
  const auto findings = analysis::profile_findings({{before.kind, "", sections}});
  json.begin_object();
  json.key("pair");
  write_pair(json, {before, after, true, std::move(sections)}, context.snapshot(),
             context.query.size("limit"));
  write_findings(json, findings);
  json.end_object();
  return {};
}

Expected<ResponsePlan> diff_artifacts(RequestContext& context) {
  BENCHHUD_ASSIGN(Artifact before, asked_artifact(context, "before"));
  BENCHHUD_ASSIGN(Artifact after, asked_artifact(context, "after"));
  if (before.kind != after.kind) {
    return wrong_parameter(context, "after", "Only two dumps of one kind can be compared.");
  }
  return ResponsePlan{revision_key(context), [&context, before, after](schema::JsonWriter& json) {
                        return write_artifact_diff(context, json, before, after);
                      }};
}

// Of a folder with any number of dumps so many are listed; how many there are is said.
constexpr std::size_t kMostListedDumps = 1000;

// All pairs that tell, and as many of the others as there is room for, in their order.
void write_pairs(schema::JsonWriter& json, const std::vector<service::ArtifactPair>& pairs,
                 const service::Snapshot& snapshot, std::size_t most) {
  const auto telling = static_cast<std::size_t>(std::ranges::count_if(
      pairs, [](const service::ArtifactPair& pair) { return pair.is_telling; }));
  std::size_t room = kMostListedDumps - std::min(kMostListedDumps, telling);
  json.key("pairs");
  json.begin_array();
  for (const service::ArtifactPair& pair : pairs) {
    if (!pair.is_telling && room == 0) continue;
    if (!pair.is_telling) --room;
    write_pair(json, pair, snapshot, most);
  }
  json.end_array();
  json.field("pair_count", pairs.size());
}

void write_unpaired(schema::JsonWriter& json, std::string_view key, std::string_view count_key,
                    const std::vector<Artifact>& artifacts, const service::Snapshot& snapshot) {
  json.key(key);
  json.list(schema::first_of(artifacts, kMostListedDumps),
            [&](const Artifact& artifact) { views::write_artifact(json, artifact, snapshot); });
  json.field(count_key, artifacts.size());
}

Expected<void> write_result_diff(RequestContext& context, schema::JsonWriter& json,
                                 ArtifactResult before, ArtifactResult after) {
  BENCHHUD_ASSIGN(const service::ResultDiff diff,
                  service::diff_of_results(context.reader(), before, after));
  const std::size_t most = context.query.size("limit");
  json.begin_object();
  write_findings(json, diff.findings);
  json.key("sums");
  json.list(diff.sums, [&](const service::ArtifactSum& sum) { write_sum(json, sum, most); });
  write_pairs(json, diff.pairs, context.snapshot(), most);
  write_unpaired(json, "only_before", "only_before_count", diff.only_before, context.snapshot());
  write_unpaired(json, "only_after", "only_after_count", diff.only_after, context.snapshot());
  json.key("left_out");
  json.list(diff.left_out, [&](const service::LeftOut& left_out) {
    json.begin_object();
    json.field("kind", artifact_kind_name(left_out.kind));
    json.field("part", left_out.part);
    json.field("dump_count", left_out.dumps);
    json.field("byte_count", left_out.bytes);
    json.end_object();
  });
  json.end_object();
  return {};
}

Expected<ResponsePlan> diff_results(RequestContext& context) {
  BENCHHUD_ASSIGN(const auto before, asked_result(context, "before_run", "before_experiment"));
  BENCHHUD_ASSIGN(const auto after, asked_result(context));
  return ResponsePlan{revision_key(context), [&context, before = place_of(before),
                                              after = place_of(after)](schema::JsonWriter& json) {
                        return write_result_diff(context, json, before, after);
                      }};
}

}  // namespace

std::span<const NamedRoute> artifact_routes() {
  static constexpr std::array routes = {NamedRoute{"listArtifacts", list_artifacts},
                                        NamedRoute{"getArtifact", get_artifact},
                                        NamedRoute{"getArtifactText", get_text, Lane::kDumps},
                                        NamedRoute{"getArtifactContent", get_content, Lane::kDumps},
                                        NamedRoute{"diffArtifacts", diff_artifacts, Lane::kDumps},
                                        NamedRoute{"diffResults", diff_results, Lane::kDumps}};
  return routes;
}

}  // namespace benchhud::server
