// Reader: what was ingested, what was rejected, kept texts.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "schema/base/content_hash.h"
#include "schema/db/key_lookup.h"
#include "schema/db/rows.h"
#include "schema/db/text_store.h"
#include "schema/queries.h"
#include "schema/results/reader.h"

namespace benchhud::schema {
namespace {

IngestedFile read_ingest(const Statement& row) {
  IngestedFile file;
  file.id = FileId(row.integer(0));
  file.path = row.text(1);
  file.content_hash = hash_of(row, 2).hex();
  file.byte_count = row.integer(3);
  file.line_count = row.integer(4);
  file.accepted = row.integer(5);
  file.duplicate = row.integer(6);
  file.rejected = row.integer(7);
  file.ingested_at = row.real(8);
  return file;
}

/// Of a row that begins with the columns of sql::kTextById. Error: kCorrupt.
Expected<std::string> read_text(const Statement& row) {
  auto text = unpack_text(row.blob(0), row.integer(1) != 0, row.integer(2));
  // SQLite does not see damage within a value.
  if (text && content_hash(*text).view() != row.blob(3)) {
    return Error{ErrorCode::kCorrupt, "a kept text is not what was taken in"};
  }
  return text;
}

}  // namespace

Expected<std::string> Reader::text(TextId id) {
  Statement query = connection_.cached(sql::kTextById);
  query.bind(1, id);
  BENCHHUD_ASSIGN(auto text, one(query, read_text, fmt::format("text {}", to_int(id))));
  return text;
}

Expected<void> Reader::visit_texts(std::span<const TextId> ids, const VisitText& visit) {
  return look_up(connection_, sql::kTextsById, ids, [&](const Statement& row) -> Expected<void> {
    if (const auto text = read_text(row)) visit(TextId(row.integer(4)), *text);
    return {};
  });
}

Expected<void> Reader::visit_error_texts(RunId run, std::size_t limit, const VisitText& visit) {
  Statement query = connection_.cached(sql::kErrorTextsOfRun);
  query.bind(1, run).bind(2, static_cast<std::int64_t>(limit));
  while (query.step()) {
    if (const auto text = read_text(query)) visit(TextId(query.integer(4)), *text);
  }
  return query.status();
}

Expected<std::vector<IngestedFile>> Reader::ingests(std::optional<FileId> before,
                                                    std::size_t limit) {
  Statement query = connection_.cached(sql::kIngestsBefore);
  query.bind(1, before ? to_int(*before) : std::numeric_limits<std::int64_t>::max());
  query.bind(2, static_cast<std::int64_t>(limit));
  return collect(query, read_ingest);
}

Expected<IngestedFile> Reader::ingest(FileId id) {
  Statement query = connection_.cached(sql::kIngestById);
  query.bind(1, id);
  return one(query, read_ingest, fmt::format("ingest {}", to_int(id)));
}

Expected<std::int64_t> Reader::ingest_count() {
  return one(
      connection_.cached(sql::kCountIngests), [](const Statement& row) { return row.integer(0); },
      "count");
}

Expected<std::vector<RunId>> Reader::runs_of_ingest(FileId id) {
  Statement query = connection_.cached(sql::kRunsOfIngest);
  query.bind(1, id);
  return collect(query, [](const Statement& row) { return RunId(row.integer(0)); });
}

Expected<std::vector<RejectedLine>> Reader::rejected_lines(std::optional<FileId> file,
                                                           std::optional<std::int64_t> before,
                                                           std::size_t limit) {
  constexpr std::size_t kExcerpt = 200;
  Statement query =
      connection_.cached(file ? sql::kRejectedLinesOfFile : sql::kRejectedLinesBefore);
  query.bind(1, before.value_or(std::numeric_limits<std::int64_t>::max()));
  query.bind(2, static_cast<std::int64_t>(limit));
  if (file) query.bind(3, *file);
  std::vector<RejectedLine> lines;
  while (query.step()) {
    RejectedLine line;
    line.id = query.integer(0);
    line.file = FileId(query.integer(1));
    line.path = query.text(2);
    line.line_number = query.integer(3);
    line.byte_offset = query.integer(4);
    line.byte_count = query.integer(5);
    line.reason = query.text(6);
    line.ingested_at = query.real(7);
    BENCHHUD_ASSIGN(line.excerpt,
                    unpack_text(query.blob(8), query.integer(9) != 0, query.integer(10)));
    line.excerpt.resize(std::min(line.excerpt.size(), kExcerpt));
    lines.push_back(std::move(line));
  }
  BENCHHUD_TRY(query.status());
  return lines;
}

Expected<std::int64_t> Reader::rejected_count(std::optional<FileId> file) {
  Statement query = connection_.cached(file ? sql::kCountRejectedOfFile : sql::kCountRejected);
  if (file) query.bind(1, *file);
  return one(query, [](const Statement& row) { return row.integer(0); }, "count");
}

Expected<std::int64_t> Reader::pruned_rejections(FileId file) {
  Statement query = connection_.cached(sql::kCountPrunedRejectionsOfFile);
  query.bind(1, file);
  return one(query, [](const Statement& row) { return row.integer(0); }, "count");
}

}  // namespace benchhud::schema
