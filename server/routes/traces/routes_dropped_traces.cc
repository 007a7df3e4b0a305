// Traces that somebody dropped on a page, which they alone see.
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/store/access_token.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/imports/dropped_trace_import.h"
#include "trace/dropped_trace.h"
#include "views/dropped_trace_json.h"

namespace benchhud::server {
namespace {

using schema::Expected;
using trace::DroppedTrace;

// Why who asks may drop none; "" where they may.
std::string_view why_not(const RequestContext& context) {
  const std::string path(context.store_path);
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  if (::access(path.c_str(), W_OK) != 0 ||
      ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
    return "read_only";
  }
  if (!context.who.token) return "no_token";
  return context.who.token->may(schema::Scope::kTriage) ? "" : "other_scope";
}

void write_limits(schema::JsonWriter& json, const service::DropLimits& limits) {
  json.key("limits");
  json.begin_object();
  json.field("bytes", limits.bytes);
  json.field("all_bytes", limits.all_bytes);
  json.field("count", limits.count);
  json.field("seconds", limits.seconds);
  json.end_object();
}

Expected<void> write_dropped(RequestContext& context, schema::JsonWriter& json) {
  std::vector<DroppedTrace> dropped;
  if (context.who.token) {
    BENCHHUD_ASSIGN(dropped, trace::dropped_traces(context.reader().connection(),
                                                   context.who.token->id, context.now));
  }
  const std::string_view why = why_not(context);
  json.begin_object();
  json.field("refusal", why.empty() ? std::optional<std::string_view>() : std::optional(why));
  write_limits(json, context.drops);
  json.key("items");
  json.list(dropped, [&](const DroppedTrace& each) { views::write_dropped_trace(json, each); });
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_dropped(RequestContext& context) {
  ResponsePlan plan{"",
                    [&context](schema::JsonWriter& json) { return write_dropped(context, json); }};
  plan.is_fleeting = true;  // each sees their own, and that changes with the time
  return plan;
}

Expected<std::string> remove_dropped(ChangeContext& context) {
  // Of a half of it others could see the rest.
  BENCHHUD_ASSIGN(auto transaction,
                  schema::Transaction::begin(context.store, schema::Transaction::Kind::kWrite));
  const auto removed = trace::remove_dropped_trace(
      context.store, schema::TraceId{context.query.integer("id")}, context.token_id);
  if (!removed) {
    if (removed.error().code == schema::ErrorCode::kNotFound) context.wrong_parameter = "id";
    return removed.error();
  }
  BENCHHUD_TRY(transaction.commit());
  return std::string("/dropped-traces");
}

}  // namespace

std::span<const NamedRoute> dropped_trace_routes() {
  static constexpr std::array routes = {NamedRoute{"listDroppedTraces", list_dropped}};
  return routes;
}

std::span<const NamedChange> dropped_trace_changes() {
  static constexpr std::array changes = {NamedChange{"removeDroppedTrace", remove_dropped}};
  return changes;
}

}  // namespace benchhud::server
