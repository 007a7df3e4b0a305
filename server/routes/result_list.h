// The list of results over any number of runs: the newest run first, within it the catalog's order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/api/routes.h"

namespace benchhud::server {

/// Where a result stands in the list.
struct ResultPlace {
  double started_at = 0;
  schema::RunId run{};
  schema::ExperimentId experiment{};
};

class ResultList {
 public:
  /// The results that the request's parameters run, since, until and the experiments' filters let
  /// through. Errors name the parameter.
  static schema::Expected<ResultList> make(RequestContext& context);

  /// What the list hangs on.
  std::string key(const RequestContext& context) const;

  using Take = std::function<bool(const service::RunEntry&, const analysis::CatalogEntry&,
                                  const analysis::ResultView&)>;
  /// Gives the results behind `after`, in order, until `take` returns false.
  schema::Expected<void> walk(const RequestContext& context,
                              const std::optional<ResultPlace>& after, const Take& take) const;
  schema::Expected<std::int64_t> total(const RequestContext& context) const;

 private:
  schema::Expected<bool> walk_run(const RequestContext& context, const service::RunEntry& entry,
                                  std::size_t first_place, const Take& take) const;
  schema::Expected<bool> look_up(const RequestContext& context, const service::RunEntry& entry,
                                 std::size_t first_place, const Take& take) const;

  std::vector<const service::RunEntry*> runs_;              // newest first
  std::vector<const analysis::CatalogEntry*> experiments_;  // that fit, in the catalog's order
  std::vector<bool> matches_;                               // by place in the catalog
  bool all_experiments_ = true;                             // of the runs' accelerator models
  bool named_runs_ = false;
  double since_ = 0, until_ = 0;
};

}  // namespace benchhud::server
