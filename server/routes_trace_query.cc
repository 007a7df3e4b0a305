// SQL over a trace.
#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "analysis/label_class.h"
#include "schema/trace_sql.h"
#include "server/trace_parts.h"
#include "server/trace_routes.h"

namespace benchhud::server {
namespace {

using schema::Expected;
using schema::TraceSql;

std::string_view class_of(std::string_view name, std::string_view category) {
  return analysis::label_class(name, category).name;
}

void write_value(JsonWriter& json, const schema::SqlValue& value) {
  std::visit(
      [&](const auto& of) {
        if constexpr (std::is_same_v<std::decay_t<decltype(of)>, std::monostate>) {
          json.null();
        } else {
          json.value(of);
        }
      },
      value);
}

// The answer, in pieces: rows as they come.
Expected<void> write_answer(TraceSql query, const schema::SqlLimits& limits,
                            const TakePiece& take) {
  constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  std::string piece;
  JsonWriter json(&piece);
  json.begin_object();
  json.key("columns");
  json.list(query.columns(), [&](const std::string& name) { json.value(name); });
  json.key("rows");
  json.begin_array();
  const schema::SqlOutcome outcome =
      query.run(limits, [&](const std::vector<schema::SqlValue>& row) {
        json.begin_array();
        for (const schema::SqlValue& value : row) write_value(json, value);
        json.end_array();
        if (piece.size() < kPieceBytes) return true;
        const bool is_taken = take(piece);
        piece.clear();
        return is_taken;
      });
  json.end_array();
  json.field("is_cut", outcome.is_cut);
  json.field("error", outcome.error);
  json.field("slices_read", outcome.slices_read);
  json.end_object();
  take(piece);
  return {};
}

Expected<Plan> query_trace(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  BENCHHUD_TRY(refuse_other_sites(ask));
  const std::string sql = ask.query.text("sql");
  // What is wrong with it is said at once; what it answers is made while it is sent.
  const auto checked = TraceSql::prepare(ask.reader().connection(), asked.id, sql, class_of);
  if (!checked) {
    if (checked.error().code != schema::ErrorCode::kBusy) ask.wrong_parameter = "sql";
    return checked.error();
  }
  schema::SqlLimits limits;
  limits.rows = ask.query.size("limit");
  Plan plan{asked.key, nullptr};
  plan.is_fleeting = true;  // how far it comes in its time is another matter each time
  plan.stream = [trace = asked.id, sql, limits](schema::Connection& connection,
                                                const TakePiece& take) -> Expected<void> {
    BENCHHUD_ASSIGN(TraceSql query, TraceSql::prepare(connection, trace, sql, class_of));
    return write_answer(std::move(query), limits, take);
  };
  return plan;
}

constexpr std::array kRoutes = {NamedRoute{"queryTrace", query_trace}};

}  // namespace

std::span<const NamedRoute> trace_query_routes() { return kRoutes; }

}  // namespace benchhud::server
