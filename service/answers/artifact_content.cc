#include "service/answers/artifact_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/trace/trace_context.h"
#include "analysis/trace/trace_findings.h"
#include "analysis/trace/trace_report.h"
#include "ingest/profiles/dump_text.h"
#include "schema/db/database.h"
#include "schema/db/text_store.h"
#include "schema/results/artifact_writer.h"
#include "server/views/artifact_json.h"
#include "server/views/trace_json.h"
#include "trace/trace_store.h"

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
  ProfileItem rest{"(all others)", section.rest.amount, section.rest.calls};
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
          {"overlaps", section.overlaps},
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
  section.overlaps = json.value("overlaps", false);
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

// By which rules digests are made now: one more wherever summarize_trace() says something
// else than before. Older ones are recomputed.
constexpr int kTraceDigestVersion = 3;

// What digests begin with, so that one need not be read to tell its version.
std::string digest_begin() { return fmt::format(R"({{"version":{},)", kTraceDigestVersion); }

// What of `digest` is under `key`; null if there is none, or it is of an older version.
Expected<ordered_json> digest_part(schema::Reader& reader, const Artifact& artifact,
                                   const char* key) {
  if (!artifact.report) return ordered_json();
  BENCHHUD_ASSIGN(const std::string text, reader.text(*artifact.report));
  if (!text.starts_with(digest_begin())) return ordered_json();
  ordered_json digest = ordered_json::parse(text, nullptr, false);
  if (!digest.is_object() || !digest.contains(key)) return ordered_json();
  return std::move(digest[key]);
}

Expected<bool> has_current_digest(schema::Reader& reader, const Artifact& artifact) {
  if (!artifact.report) return false;
  BENCHHUD_ASSIGN(const std::string text, reader.text(*artifact.report));
  return text.starts_with(digest_begin());
}

Expected<void> renew_digest(schema::Connection& store, const Artifact& artifact) {
  BENCHHUD_ASSIGN(const schema::Trace trace, schema::read_trace(store, *artifact.trace));
  const schema::TraceNesting nesting = schema::nest(trace);
  const ingest::TraceSummary summary = summarize_trace(trace, nesting);
  const schema::PackedText digest = schema::pack_text(summary.report);
  BENCHHUD_ASSIGN(schema::Transaction transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kWrite));
  schema::TextWriter texts(store);
  BENCHHUD_ASSIGN(const schema::TextId text, texts.put(digest));
  BENCHHUD_TRY(schema::set_report(store, artifact.id, text));
  BENCHHUD_TRY(schema::put_trace_findings(store, *artifact.trace, summary.findings));
  return transaction.commit();
}

}  // namespace

ingest::TraceSummary summarize_trace(const schema::Trace& trace,
                                     const schema::TraceNesting& nesting) {
  const analysis::TraceContext context(trace, nesting);
  const analysis::TraceReport report = analysis::trace_report(context);
  ordered_json sections = ordered_json::array();
  for (ProfileSection& section : analysis::profile_sections(trace, nesting, report, kMostItems)) {
    sections.push_back(to_json(std::move(section)));
  }
  const ordered_json digest{{"version", kTraceDigestVersion},
                            {"report", report_json(trace, report)},
                            {"sections", std::move(sections)}};
  return {.report = digest.dump(-1, ' ', false, ordered_json::error_handler_t::replace),
          .findings = analysis::trace_findings(context)};
}

Expected<std::int64_t> renew_digests(schema::Connection& store, Digests which,
                                     const std::function<bool()>& go_on) {
  schema::ArtifactFilter traces;
  traces.kind = ArtifactKind::kTrace;
  traces.limit = std::numeric_limits<std::size_t>::max();
  schema::Reader reader(store);
  BENCHHUD_ASSIGN(const auto artifacts, reader.artifacts(traces));
  std::int64_t count = 0;
  std::optional<schema::Error> failed;
  for (const Artifact& artifact : artifacts) {
    if (go_on && !go_on()) break;
    if (!artifact.trace) continue;
    if (which == Digests::kOutdated) {
      BENCHHUD_ASSIGN(const bool is_current, has_current_digest(reader, artifact));
      BENCHHUD_ASSIGN(const bool lacks, schema::lacks_findings(store, *artifact.trace));
      if (is_current && !lacks) continue;
    }
    if (auto renewed = renew_digest(store, artifact)) {
      ++count;
    } else if (!failed) {
      failed = std::move(renewed).error();
      failed->message = fmt::format("trace {}: {}", to_int(*artifact.trace), failed->message);
    }
  }
  if (failed) return *std::move(failed);
  return count;
}

Expected<void> write_content_fields(schema::JsonWriter& json, schema::Reader& reader,
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
