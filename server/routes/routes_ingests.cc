// What was taken in and what was not: ingests, rejected-lines.
#include <algorithm>
#include <array>

#include "schema/results/unrecognized_files.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using schema::Expected;
using schema::to_int;

Expected<void> write_with_runs(RequestContext& context, schema::JsonWriter& json,
                               const schema::IngestedFile& file) {
  BENCHHUD_ASSIGN(const auto runs, context.analyses.runs_of(context.view, file));
  std::vector<const service::RunEntry*> entries;
  for (const auto& [id, revision] : *runs) entries.push_back(context.snapshot().find(id));
  views::write_ingest(json, file, entries);
  return {};
}

Expected<void> write_ingests(RequestContext& context, schema::JsonWriter& json,
                             const std::optional<Cursor>& cursor) {
  std::optional<schema::FileId> before;
  if (cursor) before = schema::FileId{cursor->numbers[0]};
  const std::size_t limit = context.query.size("limit");
  BENCHHUD_ASSIGN(auto files, context.reader().ingests(before, limit + 1));
  const bool more = files.size() > limit;
  if (more) files.pop_back();
  begin_page(json);
  for (const auto& file : files) BENCHHUD_TRY(write_with_runs(context, json, file));
  BENCHHUD_ASSIGN(const std::int64_t total, context.reader().ingest_count());
  std::optional<std::string> next;
  if (more) next = make_cursor(cursor_scope(context), {to_int(files.back().id)});
  BENCHHUD_ASSIGN(const auto unrecognized,
                  schema::unrecognized_files(context.reader().connection()));
  end_items(json, next, total);
  json.key("unrecognized_files");
  json.list(unrecognized, [&](const std::string& path) { json.value(views::shown_path(path)); });
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_ingests(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 1));
  return ResponsePlan{std::to_string(context.snapshot().revision),
                      [&context, cursor](schema::JsonWriter& json) {
                        return write_ingests(context, json, cursor);
                      }};
}

Expected<ResponsePlan> get_ingest(RequestContext& context) {
  auto file = context.reader().ingest(schema::FileId{context.query.integer("id")});
  if (!file) {
    context.wrong_parameter = "id";
    return std::move(file).error();
  }
  return ResponsePlan{
      std::to_string(context.snapshot().revision),
      [&context, found = *std::move(file)](schema::JsonWriter& json) -> Expected<void> {
        BENCHHUD_TRY(write_with_runs(context, json, found));
        return {};
      }};
}

Expected<void> write_rejected(RequestContext& context, schema::JsonWriter& json,
                              const std::optional<Cursor>& cursor) {
  std::optional<schema::FileId> file;
  if (context.query.has("ingest")) file = schema::FileId{context.query.integer("ingest")};
  std::optional<std::int64_t> before;
  if (cursor) before = cursor->numbers[0];
  const std::size_t limit = context.query.size("limit");
  BENCHHUD_ASSIGN(auto lines, context.reader().rejected_lines(file, before, limit + 1));
  const bool more = lines.size() > limit;
  if (more) lines.pop_back();
  begin_page(json);
  for (const auto& line : lines) views::write_rejected_line(json, line);
  BENCHHUD_ASSIGN(const std::int64_t total, context.reader().rejected_count(file));
  std::optional<std::string> next;
  if (more) next = make_cursor(cursor_scope(context), {lines.back().id});
  end_page(json, next, total);
  return {};
}

Expected<ResponsePlan> list_rejected(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 1));
  return ResponsePlan{std::to_string(context.snapshot().revision),
                      [&context, cursor](schema::JsonWriter& json) {
                        return write_rejected(context, json, cursor);
                      }};
}

}  // namespace

std::span<const NamedRoute> ingest_routes() {
  static constexpr std::array routes = {NamedRoute{"listIngests", list_ingests},
                                        NamedRoute{"getIngest", get_ingest},
                                        NamedRoute{"listRejectedLines", list_rejected}};
  return routes;
}

}  // namespace benchhud::server
