#include "analysis/kernels/name_matcher.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "schema/base/check.h"

namespace benchhud::analysis {
namespace {

bool is_capital(unsigned char byte) { return byte >= 'A' && byte <= 'Z'; }

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

NameMatcher::NameMatcher(const std::vector<NamePattern>& patterns) {
  std::size_t bytes = 0;
  const auto small = [](unsigned char byte) -> std::size_t {
    return is_capital(byte) ? byte - 'A' + 'a' : byte;
  };
  for (const NamePattern& pattern : patterns) {
    bytes += pattern.text.size();
    for (const unsigned char byte : pattern.text) {
      std::uint16_t& symbol = symbol_of_[small(byte)];
      if (symbol == 0) symbol = static_cast<std::uint16_t>(symbols_++);
    }
  }
  BENCHHUD_CHECK(bytes <= kMostBytes);
  for (unsigned char byte = 'A'; byte <= 'Z'; ++byte) symbol_of_[byte] = symbol_of_[small(byte)];
  add_node();
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const NamePattern& pattern = patterns[i];
    Node node = 0;
    for (const unsigned char byte : pattern.text) {
      const std::size_t symbol = symbol_of_[byte];
      if (next(node, symbol) == 0) {
        const Node added = add_node();
        next(node, symbol) = added;
      }
      node = next(node, symbol);
    }
    // Of two alike the first is meant.
    std::vector<Ending>& endings = endings_[node];
    if (std::any_of(endings.begin(), endings.end(),
                    [&](const Ending& ending) { return ending.place == pattern.place; })) {
      continue;
    }
    endings.push_back({static_cast<std::uint32_t>(i),
                       static_cast<std::uint32_t>(pattern.text.size()), pattern.place});
  }
  link();
}

NameMatcher::Node NameMatcher::add_node() {
  next_.resize(next_.size() + symbols_);
  endings_.emplace_back();
  return static_cast<Node>(endings_.size() - 1);
}

// Makes the tree of patterns an automaton: where a node has no way on, it goes the way of the
// longest shorter node that ends alike.
void NameMatcher::link() {
  std::vector<Node> alike(endings_.size());
  shorter_.assign(endings_.size(), 0);
  std::deque<Node> nodes;
  for (std::size_t symbol = 1; symbol < symbols_; ++symbol) {
    if (const Node child = next(0, symbol); child != 0) nodes.push_back(child);
  }
  for (; !nodes.empty(); nodes.pop_front()) {
    const Node node = nodes.front();
    const Node other = alike[node];
    shorter_[node] = endings_[other].empty() ? shorter_[other] : other;
    for (std::size_t symbol = 1; symbol < symbols_; ++symbol) {
      const Node child = next(node, symbol);
      const Node of_other = next(other, symbol);
      if (child == 0) {
        next(node, symbol) = of_other;
      } else {
        alike[child] = of_other;
        nodes.push_back(child);
      }
    }
  }
}

bool NameMatcher::is_at(const Ending& ending, std::string_view name, std::size_t end) {
  const std::size_t begin = end - ending.size;
  switch (ending.place) {
    case NamePlace::kAnywhere:
      return true;
    case NamePlace::kBegin:
      return begin == 0;
    case NamePlace::kEnd:
      return end == name.size();
    case NamePlace::kWhole:
      return begin == 0 && end == name.size();
    case NamePlace::kWord:
      return (begin == 0 || !is_word_byte(name[begin - 1])) &&
             (end == name.size() || !is_word_byte(name[end]));
  }
  return false;
}

std::optional<std::size_t> NameMatcher::first(std::string_view name) const {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  if (endings_.empty()) return std::nullopt;
  std::uint32_t found = kNone;
  Node node = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    node = next(node, symbol_of_[static_cast<unsigned char>(name[i])]);
    for (Node end = endings_[node].empty() ? shorter_[node] : node; end != 0; end = shorter_[end]) {
      for (const Ending& ending : endings_[end]) {
        if (ending.pattern >= found) break;
        if (is_at(ending, name, i + 1)) found = ending.pattern;
      }
    }
  }
  return found == kNone ? std::nullopt : std::optional<std::size_t>(found);
}

}  // namespace benchhud::analysis
