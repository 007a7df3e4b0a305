#include "trace/trace.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace benchhud::trace {

std::uint32_t TextPool::put(std::string_view text) {
  if (text.empty()) return 0;
  if (4 * (texts_.size() + 1) > 3 * table_.size()) grow_table();
  std::uint32_t& place = table_[place_of(text)];
  if (place == 0) {
    texts_.push_back(keep(text));
    place = static_cast<std::uint32_t>(texts_.size());
  }
  return place;
}

std::size_t TextPool::place_of(std::string_view text) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = std::hash<std::string_view>()(text) & mask;
  while (table_[place] != 0 && (*this)[table_[place]] != text) place = (place + 1) & mask;
  return place;
}

void TextPool::grow_table() {
  constexpr std::size_t kFirst = 64;
  table_.assign(std::max(kFirst, 2 * table_.size()), 0);
  std::uint32_t number = 0;
  for (const std::string_view text : texts_) table_[place_of(text)] = ++number;
}

std::string_view TextPool::keep(std::string_view text) {
  constexpr std::size_t kBlock = std::size_t{64} << 10, kLong = kBlock / 8;
  char* place = free_;
  if (text.size() > kLong) {
    place = blocks_.emplace_back(std::make_unique<char[]>(text.size())).get();
  } else {
    if (text.size() > left_) {
      free_ = place = blocks_.emplace_back(std::make_unique<char[]>(kBlock)).get();
      left_ = kBlock;
    }
    free_ += text.size();
    left_ -= text.size();
  }
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

void Trace::add_problem(std::int64_t offset, std::string_view reason) {
  ++problem_count;
  if (problems.size() < kMostProblems) problems.push_back({offset, std::string(reason)});
}

std::uint32_t Trace::put_label(TraceLabel label) {
  if (label == TraceLabel()) return 0;
  const auto place_of = [&](TraceLabel each) -> std::uint32_t& {
    const std::uint64_t key = (std::uint64_t{each.name} << 32 | each.category) +
                              (static_cast<std::uint64_t>(each.role) << 56);
    // Fibonacci hashing: numbers that follow one another are far apart.
    std::size_t place = (key * 0x9e3779b97f4a7c15) >> 32;
    for (;; ++place) {
      std::uint32_t& number = label_table_[place & (label_table_.size() - 1)];
      if (number == 0 || labels[number] == each) return number;
    }
  };
  if (4 * (labels.size() + 1) > 3 * label_table_.size()) {
    constexpr std::size_t kFirst = 64;
    label_table_.assign(std::max(kFirst, std::bit_ceil(2 * (labels.size() + 1))), 0);
    for (std::uint32_t i = 1; i < labels.size(); ++i) place_of(labels[i]) = i;
  }
  std::uint32_t& number = place_of(label);
  if (number == 0) {
    number = static_cast<std::uint32_t>(labels.size());
    labels.push_back(label);
  }
  return number;
}

std::size_t Trace::assign_roles(bool may_split) {
  const std::vector<ThreadRole> roles = roles_of_threads(threads);
  const auto is_unknown = [](ThreadRole role) { return role == ThreadRole::kUnknown; };
  if (std::all_of(roles.begin(), roles.end(), is_unknown)) return 0;
  const std::size_t count = labels.size();
  std::vector<bool> has_role(count), is_torn(count);
  // Label 0 is that of nothing, whatever thread that is on.
  has_role[0] = true;
  for (TraceSlice& slice : slices) {
    const ThreadRole role = roles[slice.thread];
    const std::uint32_t label = slice.label;
    if (!has_role[label]) {
      has_role[label] = true;
      labels[label].role = role;
    }
    if (labels[label].role == role) continue;
    is_torn[label] = true;
  }
  label_table_.clear();  // made again of what labels are now
  if (!may_split) {
    for (std::size_t i = 0; i < count; ++i) {
      if (is_torn[i]) labels[i].role = ThreadRole::kUnknown;
    }
    return 0;
  }
  if (std::find(is_torn.begin(), is_torn.end(), true) == is_torn.end()) return 0;
  for (TraceSlice& slice : slices) {
    if (slice.label >= count || !is_torn[slice.label]) continue;
    TraceLabel label = labels[slice.label];
    label.role = roles[slice.thread];
    slice.label = put_label(label);
  }
  return labels.size() - count;
}

}  // namespace benchhud::trace
