#include "server/artifact_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/trace_context.h"
#include "analysis/trace_findings.h"
#include "analysis/trace_report.h"
#include "ingest/dump_text.h"
#include "server/artifact_json.h"
#include "server/trace_json.h"

namespace benchhud::server {

using analysis::ProfileItem;
using analysis::ProfileSection;
using analysis::ProfileUnit;
using ingest::DumpText;
using nlohmann::ordered_json;
using schema::Artifact;
using schema::ArtifactKind;
using schema::Expected;
using schema::to_int;

namespace {

// Where the contract's ArtifactContent has what is in a dump of a kind.
constexpr std::array kContents = {
    std::pair(ArtifactKind::kOperatorTable, "operator_tables"),
    std::pair(ArtifactKind::kXlaMetrics, "xla_metrics"),
    std::pair(ArtifactKind::kDynamoCounters, "dynamo_counters"),
    std::pair(ArtifactKind::kIr, "ir_modules"),
    std::pair(ArtifactKind::kCompileTimes, "compile_times"),
    std::pair(ArtifactKind::kTrace, "trace"),
};

ordered_json to_json(ProfileSection section) {
  std::stable_sort(section.items.begin(), section.items.end(),
                   [](const ProfileItem& a, const ProfileItem& b) { return a.amount > b.amount; });
  ordered_json items = ordered_json::array();
  ProfileItem rest{"(all others)", 0, 0};
  for (std::size_t i = 0; i < section.items.size(); ++i) {
    const ProfileItem& item = section.items[i];
    if (i < kMostItems) {
      items.push_back({item.name, item.amount, item.calls});
    } else {
      rest.amount += item.amount;
      rest.calls += item.calls;
    }
  }
  if (rest.calls > 0) items.push_back({rest.name, rest.amount, rest.calls});
  return {{"of", section.of},
          {"unit", unit_name(section.unit)},
          {"total", section.total ? ordered_json(*section.total) : ordered_json()},
          {"items", std::move(items)}};
}

// Throws nlohmann's exceptions where it is not as to_json() made it.
ProfileSection section_of(const ordered_json& json) {
  ProfileSection section;
  section.of = json.at("of");
  for (const ProfileUnit unit : {ProfileUnit::kCount, ProfileUnit::kNs, ProfileUnit::kBytes}) {
    if (json.at("unit") == unit_name(unit)) section.unit = unit;
  }
  if (!json.at("total").is_null()) section.total = json.at("total").get<double>();
  for (const ordered_json& item : json.at("items")) {
    section.items.push_back({item.at(0), item.at(1).get<double>(), item.at(2).get<double>()});
  }
  return section;
}

// None of a dump that is not kept as a text, or not read.
Expected<std::optional<DumpText>> read_text(schema::Reader& reader, const Artifact& artifact) {
  std::optional<DumpText> read;
  if (!artifact.text || artifact.kind == ArtifactKind::kXplane) return read;
  BENCHHUD_ASSIGN(const std::string text, reader.text(*artifact.text));
  BENCHHUD_ASSIGN(read, ingest::read_dump_text(text, artifact.kind));
  return read;
}

// What of `digest` is under `key`; null if there is none.
Expected<ordered_json> digest_part(schema::Reader& reader, const Artifact& artifact,
                                   const char* key) {
  if (!artifact.report) return ordered_json();
  BENCHHUD_ASSIGN(const std::string text, reader.text(*artifact.report));
  ordered_json digest = ordered_json::parse(text, nullptr, false);
  if (!digest.is_object() || !digest.contains(key)) return ordered_json();
  return std::move(digest[key]);
}

}  // namespace

std::string trace_digest(const schema::Trace& trace, const schema::TraceNesting& nesting) {
  const analysis::TraceReport report = analysis::trace_report(trace, nesting);
  ordered_json sections = ordered_json::array();
  for (ProfileSection& section : analysis::profile_sections(trace, nesting, report)) {
    sections.push_back(to_json(std::move(section)));
  }
  const ordered_json digest{{"report", report_json(trace, report)},
                            {"sections", std::move(sections)}};
  return digest.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

schema::TraceFindings trace_places(const schema::Trace& trace,
                                   const schema::TraceNesting& nesting) {
  return analysis::trace_findings(analysis::TraceContext(trace, nesting));
}

Expected<void> write_content_fields(JsonWriter& json, schema::Reader& reader,
                                    const Artifact& artifact) {
  BENCHHUD_ASSIGN(const auto read, read_text(reader, artifact));
  BENCHHUD_ASSIGN(const ordered_json report, digest_part(reader, artifact, "report"));
  json.key("problems");
  write_dump_problems(json, read ? read->problems : std::vector<schema::DumpProblem>());
  for (const auto& [kind, key] : kContents) {
    json.key(key);
    if (kind == artifact.kind && read) {
      std::visit([&](const auto& content) { write_content(json, content); }, read->content);
    } else if (kind == artifact.kind && report.is_object()) {
      json.raw(report.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    } else {
      json.null();
    }
  }
  return {};
}

Expected<std::optional<schema::DynamoCounters>> dynamo_counters_of(schema::Reader& reader,
                                                                   const Artifact& artifact) {
  std::optional<schema::DynamoCounters> counters;
  if (artifact.kind != ArtifactKind::kDynamoCounters) return counters;
  BENCHHUD_ASSIGN(auto read, read_text(reader, artifact));
  if (read) counters = std::get<schema::DynamoCounters>(std::move(read->content));
  return counters;
}

Expected<std::vector<ProfileSection>> sections_of(schema::Reader& reader,
                                                  const Artifact& artifact) {
  std::vector<ProfileSection> sections;
  if (artifact.kind == ArtifactKind::kTrace) {
    BENCHHUD_ASSIGN(const ordered_json kept, digest_part(reader, artifact, "sections"));
    try {
      for (const ordered_json& section : kept) sections.push_back(section_of(section));
    } catch (const ordered_json::exception&) {
      return schema::Error{schema::ErrorCode::kCorrupt,
                           fmt::format("what trace {} tells is damaged; `benchhud rebuild` derives "
                                       "it again",
                                       to_int(artifact.id))};
    }
    return sections;
  }
  BENCHHUD_ASSIGN(const auto read, read_text(reader, artifact));
  if (!read) return sections;
  return std::visit([](const auto& content) { return analysis::profile_sections(content); },
                    read->content);
}

}  // namespace benchhud::server
