// What should be in every run on an accelerator model, where somebody said so: without a manifest,
// what was in the runs before is expected.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// A result by its names: of whatever batch size and flags.
struct ExpectedResult {
  std::string suite;
  std::string model;
  std::string test;     ///< as in the file: "eval", "train"
  std::string backend;  ///< as backend_name() has it

  auto operator<=>(const ExpectedResult&) const = default;
};

/// Sorted; empty where there is no manifest.
Expected<std::vector<ExpectedResult>> manifest_of(Connection& connection,
                                                  std::string_view accelerator_model);

/// The accelerator models that have a manifest, sorted, each with how many results it expects.
Expected<std::vector<std::pair<std::string, std::int64_t>>> manifests(Connection& connection);

/// Puts a manifest in place of the one there is; an empty one takes it away. One transaction, with
/// a line in the audit.
Expected<void> put_manifest(Connection& connection, std::string_view accelerator_model,
                            std::span<const ExpectedResult> results);

}  // namespace benchhud::schema
