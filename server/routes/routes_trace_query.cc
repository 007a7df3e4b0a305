// SQL over a trace.
#include <array>
#include <string>

#include "server/api/query_process.h"
#include "server/routes/route_tables.h"
#include "server/routes/trace_parts.h"

namespace benchhud::server {
namespace {

using schema::Expected;

Expected<Plan> query_trace(Ask& ask) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(ask));
  BENCHHUD_TRY(refuse_other_sites(ask));
  Plan plan{asked.key, nullptr};
  plan.is_fleeting = true;  // how far it comes in its time is another matter each time
  plan.is_without_store = true;
  plan.body = [&ask, trace = asked.id]() -> Expected<std::string> {
    auto answer =
        ask.queries.answer(trace, ask.query.text("sql"), ask.query.size("limit"), ask.is_cancelled);
    if (!answer && (answer.error().code == schema::ErrorCode::kInvalidArgument ||
                    answer.error().code == schema::ErrorCode::kTooLarge)) {
      ask.wrong_parameter = "sql";
    }
    return answer;
  };
  return plan;
}

constexpr std::array kRoutes = {NamedRoute{"queryTrace", query_trace}};

}  // namespace

std::span<const NamedRoute> trace_query_routes() { return kRoutes; }

}  // namespace benchhud::server
