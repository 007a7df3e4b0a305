// Which of many patterns a name fits, found in one walk along the name (Aho and Corasick,
// Communications of the ACM 18(6), 1975), however the name and the patterns are made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::analysis {

/// Where in a name the text of a pattern must stand.
enum class NamePlace : std::uint8_t {
  kAnywhere,
  kBegin,
  kEnd,
  kWhole,  ///< it is the name
  kWord,   ///< with no ASCII letter or digit before and behind it
};

struct NamePattern {
  std::string text;  ///< not empty; ASCII letters fit in either case
  NamePlace place = NamePlace::kAnywhere;
};

class NameMatcher {
 public:
  /// Bytes of all patterns together. The table takes 4 bytes for each of them and each byte that
  /// is in any of them: of some 2000 bytes 300 kB.
  static constexpr std::size_t kMostBytes = 100'000;

  NameMatcher() = default;
  /// `patterns`: of kMostBytes at most.
  explicit NameMatcher(const std::vector<NamePattern>& patterns);

  /// The first of the patterns that fits the name.
  std::optional<std::size_t> first(std::string_view name) const;

 private:
  // A node stands for the beginning of a pattern.
  using Node = std::uint32_t;
  struct Ending {
    std::uint32_t pattern = 0, size = 0;
    NamePlace place = NamePlace::kAnywhere;
  };

  Node& next(Node node, std::size_t symbol) { return next_[node * symbols_ + symbol]; }
  Node next(Node node, std::size_t symbol) const { return next_[node * symbols_ + symbol]; }
  Node add_node();
  void link();
  static bool is_at(const Ending& ending, std::string_view name, std::size_t end);

  std::array<std::uint16_t, 256> symbol_of_{};  // by byte; 0: in no pattern
  std::size_t symbols_ = 1;
  std::vector<Node> next_;                    // by node and symbol
  std::vector<std::vector<Ending>> endings_;  // by node, of patterns that end there, in their order
  std::vector<Node> shorter_;  // by node: the longest shorter one that ends alike and has endings
};

}  // namespace benchhud::analysis
