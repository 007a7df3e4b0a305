#include "schema/results/manifest.h"

#include <fmt/format.h>

#include "schema/db/audit_note.h"
#include "schema/db/rows.h"
#include "schema/queries.h"
#include "schema/results/results.h"

namespace benchhud::schema {

Expected<std::vector<ExpectedResult>> manifest_of(Connection& connection,
                                                  std::string_view accelerator_model) {
  Statement query = connection.cached(sql::kManifestOfModel);
  query.bind(1, accelerator_model);
  return collect(query, [](const Statement& row) {
    return ExpectedResult{std::string(row.text(0)), std::string(row.text(1)),
                          std::string(row.text(2)), std::string(row.text(3))};
  });
}

Expected<std::vector<std::pair<std::string, std::int64_t>>> manifests(Connection& connection) {
  return collect(connection.cached(sql::kManifests), [](const Statement& row) {
    return std::pair(std::string(row.text(0)), row.integer(1));
  });
}

Expected<void> put_manifest(Connection& connection, std::string_view accelerator_model,
                            std::span<const ExpectedResult> results) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(connection.cached(sql::kDeleteManifest).bind(1, accelerator_model).run());
  for (const ExpectedResult& one : results) {
    Statement put = connection.cached(sql::kPutExpectedResult);
    put.bind(1, accelerator_model).bind(2, one.suite).bind(3, one.model);
    put.bind(4, one.test).bind(5, one.backend);
    BENCHHUD_TRY(put.run());
  }
  BENCHHUD_TRY(
      note(connection, "expect", fmt::format("{}: {} results", accelerator_model, results.size())));
  // Whoever shows the store must notice.
  BENCHHUD_TRY(next_revision(connection));
  return transaction.commit();
}

}  // namespace benchhud::schema
