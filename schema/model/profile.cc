#include "schema/model/profile.h"

#include <algorithm>

namespace benchhud::schema {

std::optional<std::size_t> OperatorTable::column(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(),
                   [&](const OperatorColumn& column) { return column.name == name; });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

}  // namespace benchhud::schema
