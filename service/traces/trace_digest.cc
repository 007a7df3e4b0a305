// A digest's bytes (numbers as ColumnWriter writes them; a text is its length and its bytes):
//   version of the digest
//   the profile's iterations, as iteration_profile_codec.cc writes them
//   report: a text
//   number of sections, then of each:
//     of: a text; unit: 0 count, 1 ns, 2 bytes
//     1 if its items overlap, else 0; 1 if it has a total, else 0, and the total as a double
//     number of items, then of each: name, a text; amount and calls, doubles
#include "service/traces/trace_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/documents/trace_json.h"
#include "analysis/trace/device_use.h"
#include "analysis/trace/kernel_table.h"
#include "analysis/trace/trace_context.h"
#include "analysis/trace/trace_findings.h"
#include "analysis/trace/trace_report.h"
#include "analysis/tracks/xla_derived_tracks.h"
#include "schema/base/column_codec.h"
#include "schema/db/database.h"
#include "schema/db/text_store.h"
#include "schema/results/artifact_writer.h"
#include "service/traces/iteration_profile_codec.h"
#include "trace/pack/open_trace.h"
#include "trace/pack/trace_move.h"
#include "trace/trace_store.h"

namespace benchhud::service {

using analysis::ProfileItem;
using analysis::ProfileSection;
using analysis::ProfileUnit;
using schema::Artifact;
using schema::Expected;
using schema::to_int;

namespace {

// One more wherever summarize_trace() says something else than before, or encodes it differently.
// Digests up to 3 were JSON, whose first byte is no version.
constexpr std::uint64_t kVersion = 10;

void put_section(schema::ColumnWriter& bytes, const ProfileSection& section) {
  put_text(bytes, section.of);
  bytes.put(static_cast<std::uint64_t>(section.unit));
  bytes.put(section.overlaps ? 1 : 0);
  bytes.put(section.total ? 1 : 0);
  if (section.total) bytes.put_double(*section.total);
  bytes.put(section.items.size());
  for (const ProfileItem& item : section.items) {
    put_text(bytes, item.name);
    bytes.put_double(item.amount);
    bytes.put_double(item.calls);
  }
}

ProfileSection get_section(schema::ColumnReader& bytes) {
  ProfileSection section;
  section.of = get_text(bytes);
  const std::uint64_t unit = bytes.get();
  if (unit > static_cast<std::uint64_t>(ProfileUnit::kBytes)) bytes.fail();
  section.unit = static_cast<ProfileUnit>(unit);
  section.overlaps = bytes.get() != 0;
  if (bytes.get() != 0) section.total = bytes.get_double();
  const std::size_t count = bytes.get_count();
  for (std::size_t i = 0; i < count && bytes.is_ok(); ++i) {
    ProfileItem& item = section.items.emplace_back();
    item.name = get_text(bytes);
    item.amount = bytes.get_double();
    item.calls = bytes.get_double();
  }
  return section;
}

// Orders a section's items by amount and leaves the largest and the sum of the rest.
void keep_largest(ProfileSection* section) {
  std::vector<ProfileItem>& items = section->items;
  std::stable_sort(items.begin(), items.end(),
                   [](const ProfileItem& a, const ProfileItem& b) { return a.amount > b.amount; });
  ProfileItem rest{"(all others)", section->rest.amount, section->rest.calls};
  for (std::size_t i = kMostItems; i < items.size(); ++i) {
    rest.amount += items[i].amount;
    rest.calls += items[i].calls;
  }
  items.resize(std::min(items.size(), kMostItems));
  if (rest.calls > 0) items.push_back(std::move(rest));
}

schema::Error damaged_digest(const Artifact& artifact) {
  schema::Error error = schema::corrupt_trace("digest");
  error.message =
      fmt::format("what is kept of trace {} is damaged; `benchhud rebuild` derives it again",
                  to_int(artifact.id));
  return error;
}

Expected<bool> has_current_digest(schema::Reader& reader, const Artifact& artifact) {
  if (!artifact.digest) return false;
  BENCHHUD_ASSIGN(const std::string text, reader.text(*artifact.digest));
  return schema::ColumnReader(text).get() == kVersion;
}

/// Also of one that was moved, whose pack is not opened for it.
Expected<bool> lacks_findings(schema::Connection& store, schema::TraceId trace) {
  BENCHHUD_ASSIGN(const auto moved, trace::pack_lacks_findings(store, trace));
  if (moved) return *moved;
  return trace::lacks_findings(store, trace);
}

Expected<void> renew_digest(schema::Connection& store, const Artifact& artifact) {
  BENCHHUD_ASSIGN(const auto data, trace::OpenTrace::open(store, *artifact.trace));
  BENCHHUD_ASSIGN(const trace::Trace trace, trace::read_trace(data.database(), data.number()));
  const trace::TraceNesting nesting = trace::nest(trace);
  const ingest::TraceSummary summary = summarize_trace(trace, nesting);
  const schema::PackedText digest = schema::pack_text(summary.digest);
  BENCHHUD_ASSIGN(schema::Transaction transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kWrite));
  schema::TextWriter texts(store);
  BENCHHUD_ASSIGN(const schema::TextId text, texts.put(digest));
  BENCHHUD_TRY(schema::set_digest(store, artifact.id, text));
  BENCHHUD_ASSIGN(const auto taken, trace::take_back(store, *artifact.trace, data));
  if (taken == trace::TakenBack::kIsElsewhere) {
    return schema::Error{schema::ErrorCode::kBusy, "it was moved while it was read"};
  }
  BENCHHUD_TRY(trace::put_trace_findings(store, *artifact.trace, summary.findings));
  BENCHHUD_TRY(trace::put_trace_devices(store, *artifact.trace, summary.devices));
  BENCHHUD_TRY(transaction.commit());
  if (taken == trace::TakenBack::kTaken) return trace::put_back(store, *artifact.trace);
  return {};
}

}  // namespace

std::string encode_digest(const TraceDigest& digest) {
  schema::ColumnWriter bytes;
  bytes.put(kVersion);
  put_iteration_profile(bytes, digest.iterations);
  put_text(bytes, digest.report);
  bytes.put(digest.sections.size());
  for (const ProfileSection& section : digest.sections) put_section(bytes, section);
  return bytes.bytes();
}

Expected<std::optional<TraceDigest>> decode_digest(std::string_view bytes) {
  schema::ColumnReader reader(bytes);
  std::optional<TraceDigest> digest;
  if (reader.get() != kVersion) return digest;
  digest.emplace();
  digest->iterations = get_iteration_profile(reader);
  digest->report = get_text(reader);
  const std::size_t count = reader.get_count();
  for (std::size_t i = 0; i < count && reader.is_ok(); ++i) {
    digest->sections.push_back(get_section(reader));
  }
  if (!reader.is_done()) return schema::corrupt_trace("digest");
  return digest;
}

ingest::TraceSummary summarize_trace(const trace::Trace& trace,
                                     const trace::TraceNesting& nesting) {
  using nlohmann::ordered_json;
  const analysis::TraceContext context(trace, nesting);
  const std::vector<std::uint32_t> operators = analysis::launching_operators(context);
  const analysis::TraceReport report = analysis::trace_report(context, operators);
  TraceDigest digest;
  digest.iterations = analysis::iteration_profile(context, operators);
  digest.sections = analysis::profile_sections(trace, nesting, report, kMostItems);
  for (ProfileSection& section : digest.sections) keep_largest(&section);
  digest.report = analysis::report_json(trace, report)
                      .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return {.digest = encode_digest(digest),
          .findings = analysis::trace_findings(context),
          .devices = analysis::device_uses(context),
          .derived_tracks = analysis::xla_derived_tracks(context)};
}

Expected<std::optional<TraceDigest>> digest_of(schema::Reader& reader, const Artifact& artifact) {
  if (!artifact.digest) return std::optional<TraceDigest>();
  BENCHHUD_ASSIGN(const std::string bytes, reader.text(*artifact.digest));
  auto digest = decode_digest(bytes);
  if (digest) return digest;
  return damaged_digest(artifact);
}

Expected<std::optional<analysis::IterationProfile>> iterations_of_digest(schema::Reader& reader,
                                                                         const Artifact& artifact) {
  std::optional<analysis::IterationProfile> iterations;
  if (!artifact.digest) return iterations;
  BENCHHUD_ASSIGN(const std::string bytes, reader.text(*artifact.digest));
  schema::ColumnReader columns(bytes);
  if (columns.get() != kVersion) return iterations;
  iterations = get_iteration_profile(columns);
  if (!columns.is_ok()) return damaged_digest(artifact);
  return iterations;
}

Expected<std::int64_t> renew_digests(schema::Connection& store, Digests which,
                                     const std::function<bool()>& go_on) {
  schema::ArtifactFilter traces;
  traces.kind = schema::ArtifactKind::kTrace;
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
      BENCHHUD_ASSIGN(const bool lacks, lacks_findings(store, *artifact.trace));
      if (is_current && !lacks) continue;
    }
    auto renewed = renew_digest(store, artifact);
    if (renewed) {
      ++count;
      continue;
    }
    const bool ends = trace::is_of_the_place(renewed.error());
    if (!failed) {
      failed = std::move(renewed).error();
      failed->message = fmt::format("trace {}: {}", to_int(*artifact.trace), failed->message);
    }
    if (ends) break;
  }
  if (failed) return *std::move(failed);
  return count;
}

}  // namespace benchhud::service
