// Alerts with what a list shows of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/results/catalog.h"
#include "cli/output/regressions_text.h"
#include "schema/alerts/alert.h"
#include "schema/alerts/alert_run.h"
#include "schema/base/json_writer.h"
#include "schema/db/database.h"
#include "schema/results/reader.h"

namespace benchhud::cli {

class AlertList {
 public:
  /// Reads the experiments. `store` has to live as long as this.
  static schema::Expected<AlertList> open(schema::Connection& store);

  const analysis::Catalog& catalog() const { return *catalog_; }

  schema::Expected<std::vector<schema::Alert>> all();
  /// Error: kNotFound.
  schema::Expected<schema::Alert> find(schema::AlertId id);
  /// With what explains it.
  schema::Expected<ListedAlert> listed(schema::Alert alert, schema::AlertDetails details);
  /// The contract's Alert, with `causes` and `reproduction`.
  schema::Expected<void> write(schema::JsonWriter& json, const ListedAlert& listed);
  /// Those that are not over, that nobody decided on, and that are not muted.
  schema::Expected<std::vector<ListedAlert>> needing_attention();

 private:
  AlertList(schema::Connection& store, analysis::Catalog catalog);

  schema::Connection* store_;
  std::unique_ptr<const analysis::Catalog> catalog_;
  std::unique_ptr<schema::Reader> reader_;
  std::unique_ptr<schema::AlertRuns> runs_;
};

}  // namespace benchhud::cli
