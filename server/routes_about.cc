// The program and its vocabulary: metrics-registry, openapi.json, health.
#include <array>

#include "schema/contract.h"
#include "schema/metric.h"
#include "server/route_parts.h"

namespace benchhud::server {
namespace {

using schema::Expected;

Expected<Plan> list_metrics(Ask& ask) {
  BENCHHUD_ASSIGN(const auto cursor, asked_cursor(ask, 1));
  const auto all = schema::known_metrics();
  const std::size_t first =
      cursor ? std::min(all.size(), static_cast<std::size_t>(cursor->numbers[0])) : 0;
  return Plan{"", [&ask, all, first]() -> Expected<std::string> {
                std::string body;
                JsonWriter json(&body);
                const std::size_t last = std::min(all.size(), first + ask.query.size("limit"));
                begin_page(json);
                for (std::size_t i = first; i < last; ++i) write_metric(json, all[i]);
                std::optional<std::string> next;
                if (last < all.size()) {
                  next = make_cursor(cursor_scope(ask), {static_cast<std::int64_t>(last)});
                }
                end_page(json, next, static_cast<std::int64_t>(all.size()));
                return body;
              }};
}

Expected<Plan> get_contract(Ask&) {
  return Plan{"",
              []() -> Expected<std::string> { return std::string(schema::openapi_document()); }};
}

Expected<Plan> get_health(Ask& ask) {
  return Plan{std::to_string(ask.snapshot().revision), [&ask]() -> Expected<std::string> {
                std::string body;
                JsonWriter json(&body);
                json.begin_object();
                json.field("status", "ok");
                json.field("revision", ask.snapshot().revision);
                json.field("version", ask.version);
                json.field("takes_changes", ask.takes_changes);
                json.end_object();
                return body;
              }};
}

constexpr std::array kRoutes = {NamedRoute{"listMetrics", list_metrics},
                                NamedRoute{"getContract", get_contract},
                                NamedRoute{"getHealth", get_health}};

}  // namespace

std::span<const NamedRoute> about_routes() { return kRoutes; }

}  // namespace benchhud::server
