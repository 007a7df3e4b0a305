#include "schema/trace.h"

namespace benchhud::schema {

std::uint32_t TextPool::put(std::string_view text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(texts_.back(), number);
  return number;
}

std::uint32_t Trace::put_label(TraceLabel label) {
  if (label == TraceLabel()) return 0;
  const std::uint64_t key = std::uint64_t{label.name} << 32 | label.category;
  const auto [found, is_new] =
      label_numbers_.try_emplace(key, static_cast<std::uint32_t>(labels.size()));
  if (is_new) labels.push_back(label);
  return found->second;
}

}  // namespace benchhud::schema
