// SQL over a trace.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "server/api/csv_table.h"
#include "server/api/query_process.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "trace/answers/trace_sql.h"
#include "trace/pack/trace_move.h"

namespace benchhud::server {
namespace {

using schema::Expected;

// The rows of an answer. One that ended early is none; where there are more, a last row says so.
Expected<std::string> csv_of_answer(const std::string& answer) {
  auto parsed = nlohmann::json::parse(answer);
  if (const auto& error = parsed.at("error"); !error.is_null()) {
    return schema::Error{schema::ErrorCode::kTooLarge,
                         "The query ended early: " + error.get<std::string>()};
  }
  nlohmann::json& rows = parsed.at("rows");
  if (parsed.at("is_cut").get<bool>()) {
    nlohmann::json last = nlohmann::json::array();
    for (std::size_t i = 0; i < parsed.at("columns").size(); ++i) last.push_back(nullptr);
    if (!last.empty()) last[0] = fmt::format("({} rows; there are more)", rows.size());
    rows.push_back(std::move(last));
  }
  return csv_of_rows(parsed.at("columns"), parsed.at("rows"));
}

void write_table(schema::JsonWriter& json, const trace::SqlTableText& table) {
  json.begin_object();
  json.field("name", table.name);
  json.field("meaning", table.meaning);
  json.key("columns");
  json.list(table.columns, [&](const trace::SqlColumn& column) {
    json.begin_object();
    json.field("name", column.name);
    json.field("type", column.type);
    json.field("meaning", column.meaning);
    json.end_object();
  });
  json.end_object();
}

Expected<ResponsePlan> query_trace(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_TRY(refuse_other_sites(context));
  ResponsePlan plan{asked.key, {}};
  plan.is_fleeting = true;  // how far it comes in its time is another matter each time
  plan.is_without_store = true;
  if (context.is_csv()) plan.content_type = "text/csv; charset=utf-8";
  auto checked = asked.data.checked(context.reader().connection(), asked.id);
  if (!checked) return as_told(context, std::move(checked).error());
  plan.body = [&context, trace = *std::move(checked)]() -> Expected<std::string> {
    auto answer = context.queries.answer(trace, context.query.text("sql"),
                                         context.query.size("limit"), context.is_cancelled);
    if (!answer && (answer.error().code == schema::ErrorCode::kInvalidArgument ||
                    answer.error().code == schema::ErrorCode::kTooLarge)) {
      context.wrong_parameter = "sql";
    }
    // Where the pack had to be fetched once more.
    if (!answer && !context.who.token && trace::is_of_the_place(answer.error())) {
      return without_place(std::move(answer).error());
    }
    if (!answer || !context.is_csv()) return answer;
    return csv_of_answer(*answer);
  };
  return plan;
}

Expected<ResponsePlan> list_tables(RequestContext&) {
  return ResponsePlan{"", [](schema::JsonWriter& json) -> Expected<void> {
                        json.begin_object();
                        json.key("items");
                        json.list(trace::sql_table_texts(), [&](const trace::SqlTableText& table) {
                          write_table(json, table);
                        });
                        json.end_object();
                        return {};
                      }};
}

}  // namespace

std::span<const NamedRoute> trace_query_routes() {
  static constexpr std::array routes = {NamedRoute{"queryTrace", query_trace},
                                        NamedRoute{"listTraceTables", list_tables}};
  return routes;
}

}  // namespace benchhud::server
