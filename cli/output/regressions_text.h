// Alerts for a terminal, for an issue and for a CI system.
#pragma once

#include <span>
#include <string>

#include "schema/alerts/alert.h"
#include "service/alerts/alert_causes.h"

namespace benchhud::cli {

/// An alert with what a list shows of it, and whether it fails the command.
struct ListedAlert {
  schema::Alert alert;
  schema::AlertDetails details;
  service::AlertExplanation explanation;
  std::string onset, last_good, first_bad;  ///< names of runs; "": not known
  bool fails = false;
};

/// A paragraph an alert: what, since when, and each member with its figures. `muted`: how many are
/// muted, which is said.
std::string regressions_text(std::span<const ListedAlert> alerts, std::size_t muted);

/// The same with headings and tables. Texts from files cannot become Markdown of their own.
std::string regressions_markdown(std::span<const ListedAlert> alerts, std::size_t muted = 0);

/// JUnit XML: a test case an alert, failed where it fails the command, skipped where it is muted;
/// where there is none, one that passed. How many are muted is a property of the suite.
std::string regressions_junit(std::span<const ListedAlert> alerts, std::size_t muted);

/// "muted until 2026-12-24", "muted until it is confirmed"; "" of what is not muted.
std::string mute_text(const schema::Alert& alert);

}  // namespace benchhud::cli
