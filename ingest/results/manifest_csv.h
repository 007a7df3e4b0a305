// Reads a manifest: what should be in every run.
#pragma once

#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/results/manifest.h"

namespace benchhud::ingest {

/// The most results that a manifest names.
inline constexpr std::size_t kMostExpected = 1'000'000;

/// Reads CSV (RFC 4180) whose first line that is not blank names the columns: `suite`, `model`,
/// `test` and `backend`, in any order; others are of no matter. A field may hold several names with
/// `|` between them: the row then stands for every combination. `inference` and `training` are
/// taken for `eval` and `train`. Lines that begin with `#` do not count.
///
/// Sorted, each once. Unlike with measurements nothing is taken in where something is wrong: half a
/// manifest would hide what is missing. Errors: kUnsupported, naming the line; kTooLarge.
schema::Expected<std::vector<schema::ExpectedResult>> read_manifest(std::string_view text);

}  // namespace benchhud::ingest
