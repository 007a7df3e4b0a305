// The program, its vocabulary and what it serves: metrics-registry, openapi.json, health, store,
// links, and who asks.
#include <algorithm>
#include <array>

#include "schema/db/time_shift.h"
#include "schema/model/contract.h"
#include "schema/model/metric.h"
#include "schema/results/label_link.h"
#include "schema/store/store_place.h"
#include "server/api/sessions.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using schema::Expected;

Expected<ResponsePlan> list_metrics(RequestContext& context) {
  BENCHHUD_ASSIGN(const auto cursor, asked_cursor(context, 1));
  const auto all = schema::known_metrics();
  const std::size_t first =
      cursor ? std::min(all.size(), static_cast<std::size_t>(cursor->numbers[0])) : 0;
  return ResponsePlan{
      "", [&context, all, first](schema::JsonWriter& json) -> Expected<void> {
        const std::size_t last = std::min(all.size(), first + context.query.size("limit"));
        begin_page(json);
        for (std::size_t i = first; i < last; ++i) views::write_metric(json, all[i]);
        std::optional<std::string> next;
        if (last < all.size()) {
          next = make_cursor(cursor_scope(context), {static_cast<std::int64_t>(last)});
        }
        end_page(json, next, static_cast<std::int64_t>(all.size()));
        return {};
      }};
}

Expected<ResponsePlan> get_contract(RequestContext&) {
  return ResponsePlan{
      "", []() -> Expected<std::string> { return std::string(schema::openapi_document()); }};
}

// App answers these two itself, before other requests' connections to the store are asked for.
Expected<ResponsePlan> answered_by_app(RequestContext&) {
  return schema::Error{schema::ErrorCode::kInternal, "App answers this itself."};
}

Expected<ResponsePlan> get_session(RequestContext& context) {
  ResponsePlan plan{"", [&context]() -> Expected<std::string> {
                      return session_json(
                          context.who, context.reads_by_token ? Reading::kByToken : Reading::kOpen);
                    }};
  plan.is_fleeting = true;
  return plan;
}

Expected<void> write_store(RequestContext& context, schema::JsonWriter& json) {
  const service::Snapshot& snapshot = context.snapshot();
  BENCHHUD_ASSIGN(const std::int64_t rejected, context.reader().rejected_count({}));
  BENCHHUD_ASSIGN(const std::int64_t attention, attention_count(context));
  BENCHHUD_ASSIGN(const bool is_default, schema::is_default_store(context.reader().connection()));
  BENCHHUD_ASSIGN(const auto shift, schema::time_shift_weeks(context.reader().connection()));
  json.begin_object();
  json.field("revision", snapshot.revision);
  json.field("version", context.version);
  json.field("run_count", snapshot.runs.size());
  json.field("result_count", snapshot.result_count);
  json.field("rejected_count", rejected);
  json.key("newest_run");
  views::write_run_ref(json, snapshot.runs.empty() ? nullptr : &snapshot.runs.front());
  json.field("attention_count", attention);
  json.field("time_shift_weeks", shift.value_or(0));
  json.field("is_default", is_default);
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_store(RequestContext& context) {
  return ResponsePlan{alerts_key(context),
                      [&context](schema::JsonWriter& json) { return write_store(context, json); }};
}

void write_template(schema::JsonWriter& json, std::string_view name, const std::string& address) {
  if (address.empty()) {
    json.null_field(name);
  } else {
    json.field(name, address);
  }
}

Expected<void> write_links(RequestContext& context, schema::JsonWriter& json) {
  BENCHHUD_ASSIGN(const auto links, schema::label_links(context.reader().connection()));
  json.begin_object();
  json.key("items");
  json.list(links, [&](const schema::LabelLink& link) {
    json.begin_object();
    json.field("key", link.key);
    write_template(json, "one", link.one);
    write_template(json, "range", link.range);
    json.end_object();
  });
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_links(RequestContext& context) {
  return ResponsePlan{revision_key(context),
                      [&context](schema::JsonWriter& json) { return write_links(context, json); }};
}

}  // namespace

std::span<const NamedRoute> about_routes() {
  static constexpr std::array routes = {NamedRoute{"listMetrics", list_metrics},
                                        NamedRoute{"getContract", get_contract},
                                        NamedRoute{"getSession", get_session},
                                        NamedRoute{"getStore", get_store},
                                        NamedRoute{"listLinks", list_links},
                                        NamedRoute{"getHealth", answered_by_app, Lane::kHealth},
                                        NamedRoute{"getAlive", answered_by_app, Lane::kAlive}};
  return routes;
}

}  // namespace benchhud::server
