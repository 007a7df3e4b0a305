// benchhud export --format hud-v3.
#pragma once

#include <optional>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::cli {

/// Prints the store's lines as records of the PyTorch HUD, one a line, run by run, the oldest
/// first; `run`: of that one only (an id, a name, `latest`).
schema::Expected<void> export_hud(schema::Connection& store, const std::optional<std::string>& run,
                                  const std::string& repository);

}  // namespace benchhud::cli
