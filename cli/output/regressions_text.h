// Alerts for a terminal, for an issue and for a CI system.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "schema/base/errors.h"

namespace benchhud::cli {

using Json = nlohmann::ordered_json;

/// The contract's Alert, and whether it fails the command.
struct ListedAlert {
  Json json;
  bool fails = false;
};

/// A paragraph an alert: what, since when, and each member with its figures. Error, here and below:
/// kCorrupt where the details of an alert are not as this version of the program writes them.
schema::Expected<std::string> regressions_text(std::span<const ListedAlert> alerts);

/// The same with headings and tables. Texts from files cannot become Markdown of their own.
schema::Expected<std::string> regressions_markdown(std::span<const ListedAlert> alerts);

/// JUnit XML: a test case an alert, failed where it fails the command; where there is none, one
/// that passed.
schema::Expected<std::string> regressions_junit(std::span<const ListedAlert> alerts);

}  // namespace benchhud::cli
