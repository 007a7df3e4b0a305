#include "schema/trace.h"

namespace benchhud::schema {

std::uint32_t TextPool::put(std::string_view text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(texts_.back(), number);
  return number;
}

}  // namespace benchhud::schema
