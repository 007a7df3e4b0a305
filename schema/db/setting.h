// What the store knows of itself, by key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// None: it was never put.
Expected<std::optional<std::string>> setting(Connection& connection, std::string_view key);

/// The caller holds the write transaction.
Expected<void> put_setting(Connection& connection, std::string_view key, std::string_view value);

}  // namespace benchhud::schema
