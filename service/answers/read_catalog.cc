#include "service/answers/read_catalog.h"

#include <utility>

#include "schema/results/experiment_visit.h"

namespace benchhud::service {

schema::Expected<analysis::Catalog> read_catalog(schema::Connection& store) {
  analysis::CatalogBuilder builder;
  BENCHHUD_TRY(schema::visit_experiments(
      store, [&](const schema::StoredExperiment& stored) -> schema::Expected<void> {
        builder.add(stored.id, stored.experiment);
        return {};
      }));
  return std::move(builder).finish();
}

}  // namespace benchhud::service
