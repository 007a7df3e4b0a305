#include "audit_note.h"

#include <fmt/format.h>

#include "schema/queries.h"
#include "schema/time.h"

namespace benchhud::schema {

Expected<void> note(Connection& connection, std::string_view action, std::string_view detail) {
  return connection.cached(sql::kInsertAudit).bind(1, now()).bind(2, action).bind(3, detail).run();
}

std::string describe(const Run& run) {
  return fmt::format("{} (id {}) on {}", run.name, to_int(run.id), run.accelerator_model);
}

}  // namespace benchhud::schema
