// Whether a store is in order: what a nightly job asks, and who was woken by it.
#pragma once

#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/store/store_backup.h"

namespace benchhud::schema {

enum class HealthLevel { kGood, kWarning, kBad };

struct HealthCheck {
  std::string
      name;  ///< one word: opens, version, integrity, checksums, disk, log, freshness, ingest
  HealthLevel level = HealthLevel::kGood;
  std::string words;  ///< what was found, with numbers
};

struct HealthOptions {
  Examination examination = Examination::kContent;
  double most_age =
      30 * 3600.0;  ///< of the newest run, in seconds; beyond that results are missing
  double now = 0;   ///< seconds since 1970
};

/// Looks through the store at `path`, which it does not change. What keeps others from being looked
/// at (no such file, a damaged one) is the last one.
std::vector<HealthCheck> examine_store(const std::string& path, const HealthOptions& options);

}  // namespace benchhud::schema
