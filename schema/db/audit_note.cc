#include "schema/db/audit_note.h"

#include <fmt/format.h>

#include "schema/base/time.h"
#include "schema/db/audit_event.h"
#include "schema/queries.h"

namespace benchhud::schema {

Expected<void> note(Connection& connection, std::string_view action, std::string_view detail) {
  return connection.cached(sql::kInsertAudit).bind(1, now()).bind(2, action).bind(3, detail).run();
}

Expected<void> note_events(Connection& connection, std::span<const AuditEvent> events) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  for (const AuditEvent& event : events) {
    Statement insert = connection.cached(sql::kInsertAudit);
    BENCHHUD_TRY(insert.bind(1, event.at).bind(2, event.action).bind(3, event.detail).run());
  }
  return transaction.commit();
}

std::string describe(const Run& run) {
  return fmt::format("{} (id {}) on {}", run.name, to_int(run.id), run.accelerator_model);
}

}  // namespace benchhud::schema
