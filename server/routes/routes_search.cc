// One search over everything that has a name.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/answers/search_index.h"

namespace benchhud::server {
namespace {

using analysis::TextQuery;
using schema::Expected;

/// Nothing that people look for is longer.
constexpr std::size_t kLongestQuery = 200;

using LastRuns = std::map<schema::ExperimentId, double>;

/// When the newest run started that has results of a model's experiments; none where all are gone.
std::optional<double> last_seen(const LastRuns& last_runs, const service::SearchItem& model) {
  std::optional<double> last;
  for (const auto id : model.experiments) {
    const auto at = last_runs.find(id);
    if (at != last_runs.end()) last = std::max(last.value_or(at->second), at->second);
  }
  return last;
}

/// Of the experiments of these models.
Expected<LastRuns> last_runs_of(RequestContext& context,
                                std::span<const service::SearchHit> models) {
  std::vector<schema::ExperimentId> experiments;
  for (const service::SearchHit& hit : models) {
    experiments.insert(experiments.end(), hit.item->experiments.begin(),
                       hit.item->experiments.end());
  }
  return context.reader().last_runs(experiments);
}

/// A hit as it is answered.
struct Shown {
  service::SearchHit hit;
  std::optional<double> at;
};

/// The first `limit` hits that are still there: models may have lost all their runs. Takes what is
/// gone out of `found`, as far as it looked.
Expected<std::vector<Shown>> shown_hits(RequestContext& context, std::size_t limit,
                                        service::SearchHits* found) {
  std::vector<Shown> shown;
  std::vector<service::SearchHit>& hits = found->hits;
  const bool are_models = found->kind == service::SearchKind::kModel;
  // As many at a time as are still to be shown.
  for (std::size_t looked_at = 0; looked_at < hits.size() && shown.size() < limit;) {
    const std::size_t next = std::min(hits.size(), looked_at + limit - shown.size());
    const std::span<const service::SearchHit> some(hits.data() + looked_at, next - looked_at);
    LastRuns last_runs;
    if (are_models) {
      BENCHHUD_ASSIGN(last_runs, last_runs_of(context, some));
    }
    for (const service::SearchHit& hit : some) {
      const auto at = are_models ? last_seen(last_runs, *hit.item) : hit.item->at;
      if (are_models && !at) continue;  // all its results are gone
      hits[shown.size()] = hit;
      shown.push_back({hit, at});
    }
    hits.erase(hits.begin() + static_cast<std::ptrdiff_t>(shown.size()),
               hits.begin() + static_cast<std::ptrdiff_t>(next));
    looked_at = shown.size();
  }
  return shown;
}

void write_hit(schema::JsonWriter& json, const Shown& shown) {
  const service::SearchItem& item = *shown.hit.item;
  json.begin_object();
  json.field("title", item.title);
  json.field("context", item.context);
  json.field("match", analysis::text_match_name(shown.hit.match));
  json.key("at");
  shown.at ? views::write_time(json, *shown.at) : json.null();
  json.key("address");
  json.begin_object();
  for (const auto& [name, value] : item.address) json.field(name, value);
  json.end_object();
  json.end_object();
}

Expected<void> write_found(RequestContext& context, schema::JsonWriter& json) {
  BENCHHUD_ASSIGN(const auto index, context.analyses.search_index(context.view));
  const TextQuery query(context.query.text("q"));
  std::vector<service::SearchHits> found = service::search(*index, query);
  json.begin_object();
  json.field("query", context.query.text("q"));
  const bool nearly =
      !found.empty() && found.front().hits.front().match == analysis::TextMatch::kNearly;
  json.field("nearly", nearly);
  json.key("groups");
  json.begin_array();
  std::int64_t total = 0;
  for (service::SearchHits& of_kind : found) {
    BENCHHUD_ASSIGN(const auto shown, shown_hits(context, context.query.size("limit"), &of_kind));
    if (shown.empty()) continue;
    json.begin_object();
    json.field("kind", service::search_kind_name(of_kind.kind));
    json.field("total", of_kind.hits.size());
    json.key("items");
    json.list(shown, [&](const Shown& one) { write_hit(json, one); });
    json.end_object();
    total += static_cast<std::int64_t>(of_kind.hits.size());
  }
  json.end_array();
  json.field("total", total);
  json.key("searched");
  json.begin_object();
  for (std::size_t kind = 0; kind < service::kSearchKinds; ++kind) {
    const auto of_kind = static_cast<service::SearchKind>(kind);
    json.field(service::search_kind_name(of_kind), index->items(of_kind).size());
  }
  json.end_object();
  json.end_object();
  return {};
}

Expected<ResponsePlan> search_all(RequestContext& context) {
  if (context.query.text("q").size() > kLongestQuery) {
    return wrong_parameter(context, "q", fmt::format("q must be at most {} bytes.", kLongestQuery));
  }
  return ResponsePlan{revision_key(context),
                      [&context](schema::JsonWriter& json) { return write_found(context, json); }};
}

}  // namespace

std::span<const NamedRoute> search_routes() {
  static constexpr std::array routes = {NamedRoute{"search", search_all}};
  return routes;
}

}  // namespace benchhud::server
