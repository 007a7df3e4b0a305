// What makes labels of runs links: templates of addresses, by label key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

struct LabelLink {
  std::string key;    ///< of the label
  std::string one;    ///< what one value is: an address with {value}; "" for none
  std::string range;  ///< what is between two values: an address with {from} and {to}; "" for none
};

/// All of them, by key.
Expected<std::vector<LabelLink>> label_links(Connection& connection);

/// Keeps the templates of a label that are not "" in place of those it has. One transaction, with a
/// line in the audit. Errors: kInvalidArgument, which says what is allowed, for a label without a
/// key, for neither of the templates, and for a template that is no http:// or https:// address or
/// whose placeholders are not those, each in its path or behind; kTooLarge for more than
/// kMostLineBytes (text_limits.h).
Expected<void> set_label_link(Connection& connection, const LabelLink& link);

/// Takes a label's templates away. One transaction, with a line in the audit. Error: kNotFound if
/// it has none.
Expected<void> remove_label_link(Connection& connection, std::string_view key);

}  // namespace benchhud::schema
