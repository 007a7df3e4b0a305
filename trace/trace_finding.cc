// A block of findings of a kind, the longest first (trace_finding_block.bytes): one zstd frame
// around at most 16 MiB. All numbers are varints, as ColumnWriter writes them
// (schema/base/column_codec.h), unless a line says zigzag. "N x" is a column: one number of each of
// the N findings, in their order.
//   N: at most 4096
//   N x length (end minus begin) of the finding before minus its own, ns; of the first: its own
//   N x begin, ns: zigzag difference to the one before (of the first: to 0), modulo 2^64; begin +
//     length is at most 2^63 - 1
//   N x thread, 32 bits
//   N x label, 32 bits
//   N x other label, 32 bits
//   N x number, 32 bits
#include "trace/trace_finding.h"

#include <algorithm>
#include <string_view>

#include "schema/base/column_codec.h"
#include "schema/db/rows.h"
#include "trace/queries.h"

namespace benchhud::trace {
namespace {

// Of those of an older program.
schema::Expected<std::vector<StoredFinding>> older_findings(schema::Connection& connection,
                                                            schema::TraceId trace,
                                                            const std::string& kind,
                                                            std::size_t first, std::size_t limit) {
  schema::Statement query = connection.cached(sql::kOlderFindings);
  query.bind(1, trace)
      .bind_text_view(2, kind)
      .bind(3, static_cast<std::int64_t>(first))
      .bind(4, static_cast<std::int64_t>(limit));
  return collect(query, [](const schema::Statement& row) {
    StoredFinding stored;
    stored.finding.thread = static_cast<std::uint32_t>(row.integer(0));
    stored.finding.begin = row.integer(1);
    stored.finding.end = row.integer(2);
    stored.words = row.text(3);
    return stored;
  });
}

// None behind the last block.
schema::Expected<std::vector<TraceFinding>> findings_of_block(schema::Connection& connection,
                                                              schema::TraceId trace,
                                                              const std::string& kind,
                                                              std::size_t number) {
  schema::Statement query = connection.cached(sql::kFindingBlock);
  query.bind(1, trace).bind_text_view(2, kind).bind(3, static_cast<std::int64_t>(number));
  if (query.step()) return decode_findings(query.blob(0));
  BENCHHUD_TRY(query.status());
  return std::vector<TraceFinding>();
}

}  // namespace

std::string encode_findings(std::span<const TraceFinding> findings) {
  schema::ColumnWriter column;
  column.put(findings.size());
  // What is sorted by length differs little in it from one to the next.
  std::uint64_t last_length = 0;
  for (const TraceFinding& each : findings) {
    const std::uint64_t length = schema::distance(each.begin, each.end);
    column.put(&each == findings.data() ? length : last_length - length);
    last_length = length;
  }
  std::int64_t last_begin = 0;
  for (const TraceFinding& each : findings) {
    column.put_signed(schema::wrapping_difference(each.begin, last_begin));
    last_begin = each.begin;
  }
  for (const auto member :
       {&TraceFinding::thread, &TraceFinding::label, &TraceFinding::other, &TraceFinding::number}) {
    for (const TraceFinding& each : findings) column.put(each.*member);
  }
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<TraceFinding>> decode_findings(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > kFindingsABlock) column.fail();
  std::vector<TraceFinding> findings(column.is_ok() ? count : 0);
  std::vector<std::uint64_t> lengths(findings.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::uint64_t number = column.get();
    if (i > 0 && number > lengths[i - 1]) column.fail();
    lengths[i] = i == 0 ? number : lengths[i - 1] - number;
  }
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    begin = schema::wrapping_sum(begin, column.get_signed());
    if (lengths[i] > schema::distance(begin, schema::kLatest)) column.fail();
    findings[i].begin = begin;
    findings[i].end = schema::wrapping_sum(begin, static_cast<std::int64_t>(lengths[i]));
  }
  for (const auto member :
       {&TraceFinding::thread, &TraceFinding::label, &TraceFinding::other, &TraceFinding::number}) {
    for (TraceFinding& each : findings) each.*member = column.get_small();
  }
  if (!column.is_done()) return schema::corrupt_trace("block of findings");
  return findings;
}

schema::Expected<void> put_trace_findings(schema::Connection& connection, schema::TraceId trace,
                                          const std::vector<PackedFindings>& kinds) {
  BENCHHUD_TRY(delete_trace_findings(connection, trace));
  for (const PackedFindings& kind : kinds) {
    std::int64_t number = 0;
    for (const std::string& block : kind.blocks) {
      BENCHHUD_TRY(connection.cached(sql::kInsertTraceFindingBlock)
                       .bind(1, trace)
                       .bind_text_view(2, kind.kind)
                       .bind(3, number++)
                       .bind_blob_view(4, block)
                       .run());
    }
    BENCHHUD_TRY(connection.cached(sql::kInsertTraceFindingKind)
                     .bind(1, trace)
                     .bind_text_view(2, kind.kind)
                     .bind(3, kind.count)
                     .bind(4, kind.earliest)
                     .run());
  }
  return {};
}

schema::Expected<std::vector<FindingKind>> trace_finding_kinds(schema::Connection& connection,
                                                               schema::TraceId trace) {
  schema::Statement query = connection.cached(sql::kFindingKindsOfTrace);
  query.bind(1, trace);
  return collect(query, [](const schema::Statement& row) {
    return FindingKind{.kind = std::string(row.text(0)),
                       .count = row.integer(1),
                       .kept = row.integer(3),
                       .earliest = row.optional_integer(2)};
  });
}

schema::Expected<std::vector<StoredFinding>> findings_of_kind(schema::Connection& connection,
                                                              schema::TraceId trace,
                                                              const FindingKind& kind,
                                                              std::size_t first,
                                                              std::size_t limit) {
  if (!kind.earliest) return older_findings(connection, trace, kind.kind, first, limit);
  std::vector<StoredFinding> found;
  std::size_t skipped = first % kFindingsABlock;
  for (std::size_t number = first / kFindingsABlock; found.size() < limit; ++number) {
    BENCHHUD_ASSIGN(const auto block, findings_of_block(connection, trace, kind.kind, number));
    const std::size_t begin = std::min(skipped, block.size());
    const std::size_t end = begin + std::min(limit - found.size(), block.size() - begin);
    for (std::size_t i = begin; i < end; ++i) found.push_back({block[i], std::nullopt});
    if (block.size() < kFindingsABlock) break;
    skipped = 0;
  }
  return found;
}

schema::Expected<bool> lacks_findings(schema::Connection& connection, schema::TraceId trace) {
  BENCHHUD_ASSIGN(const auto kinds, trace_finding_kinds(connection, trace));
  return std::any_of(kinds.begin(), kinds.end(),
                     [](const FindingKind& kind) { return kind.kept < kind.count; });
}

schema::Expected<void> delete_trace_findings(schema::Connection& connection,
                                             schema::TraceId trace) {
  for (const std::string_view sql :
       {sql::kDeleteTraceFindings, sql::kDeleteTraceFindingBlocks, sql::kDeleteTraceFindingKinds}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).run());
  }
  return {};
}

}  // namespace benchhud::trace
