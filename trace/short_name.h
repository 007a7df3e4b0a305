// Names as reports and pages tell them.
#pragma once

#include <string>
#include <string_view>

#include "schema/base/text_excerpt.h"

namespace benchhud::trace {

/// Names of kernels are templates as long as pages, and those of a hostile trace longer: the first
/// thousand bytes.
inline std::string short_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 1000;
  return schema::beginning_of(name, kMostBytes);
}

}  // namespace benchhud::trace
