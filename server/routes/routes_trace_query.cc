// SQL over a trace.
#include <array>
#include <string>

#include "server/api/query_process.h"
#include "server/routes/route_tables.h"
#include "server/routes/trace_parts.h"

namespace benchhud::server {
namespace {

using schema::Expected;

Expected<ResponsePlan> query_trace(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  BENCHHUD_TRY(refuse_other_sites(context));
  ResponsePlan plan{asked.key, {}};
  plan.is_fleeting = true;  // how far it comes in its time is another matter each time
  plan.is_without_store = true;
  plan.body = [&context, trace = asked.id]() -> Expected<std::string> {
    auto answer = context.queries.answer(trace, context.query.text("sql"),
                                         context.query.size("limit"), context.is_cancelled);
    if (!answer && (answer.error().code == schema::ErrorCode::kInvalidArgument ||
                    answer.error().code == schema::ErrorCode::kTooLarge)) {
      context.wrong_parameter = "sql";
    }
    return answer;
  };
  return plan;
}

constexpr std::array kRoutes = {NamedRoute{"queryTrace", query_trace}};

}  // namespace

std::span<const NamedRoute> trace_query_routes() { return kRoutes; }

}  // namespace benchhud::server
