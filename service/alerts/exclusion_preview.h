// What would become of the alerts if some nights did not count: for who wonders whether to say so.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/base/errors.h"
#include "schema/model/types.h"
#include "schema/results/reader.h"
#include "service/alerts/quiet_series.h"

namespace benchhud::service {

/// The runs on the accelerator model of `first` from the one to the other, oldest first. Error:
/// kInvalidArgument if `last` is before it or on another accelerator model.
schema::Expected<std::vector<schema::Run>> nights_between(schema::Reader& reader,
                                                          const schema::Run& first,
                                                          const schema::Run& last);

struct ExclusionPreview {
  struct Night {
    schema::Run run;
    bool is_excluded = false;  ///< already
  };
  /// Of an alert, what is told of it now, and what would be told. None: it is not told of, or is
  /// withdrawn.
  struct Outcome {
    std::optional<schema::Alert> now, then;

    bool is_same() const;
  };
  std::vector<Night> nights;
  /// Alerts on that accelerator model that are told of now or would be, the most urgent first. Of
  /// those that would be recovered, the ones that are there now and otherwise. What people said of
  /// an alert is in `now` alone.
  std::vector<Outcome> outcomes;
};

/// Watches the accelerator model's nights again, as service::update_alerts() would after these were
/// marked as excluded, and writes nothing. It takes as long as that does, and asks between two
/// nights whether to give up. Errors: those of nights_between(), kBusy where it gave up.
/// `most_together`: as of update_alerts().
schema::Expected<ExclusionPreview> preview_exclusion(
    schema::Reader& reader, const schema::Run& first, const schema::Run& last,
    const std::function<bool()>& is_cancelled, std::size_t most_together = kMostWatchedTogether);

}  // namespace benchhud::service
