// Runs that alerts name.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "schema/base/errors.h"
#include "schema/model/types.h"
#include "schema/results/reader.h"

namespace benchhud::schema {

/// Runs by their ids, each read once: as the store has them, and those that are gone as they were
/// when an alert that names them was last found, without labels.
class AlertRuns {
 public:
  /// Asked first; null for runs that it does not have.
  using Lookup = std::function<const Run*(RunId)>;

  explicit AlertRuns(Reader& reader, Lookup lookup = {})
      : reader_(reader), lookup_(std::move(lookup)) {}

  /// Null for one that is not known, or where no id is given. Valid as long as this and what
  /// `lookup` gives.
  Expected<const Run*> find(std::optional<RunId> id);

 private:
  Reader& reader_;
  Lookup lookup_;
  std::unordered_map<RunId, std::optional<Run>> known_;
};

}  // namespace benchhud::schema
