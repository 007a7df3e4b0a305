// What commands write into the audit.
#pragma once

#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// Adds a line to the audit. The caller holds the write transaction.
Expected<void> note(Connection& connection, std::string_view action, std::string_view detail);

/// A run as the audit names it.
std::string describe(const Run& run);

}  // namespace benchhud::schema
