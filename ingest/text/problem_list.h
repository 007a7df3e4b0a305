// What could not be read of a dump, bounded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/text_excerpt.h"
#include "schema/model/profile.h"

namespace benchhud::ingest {

/// Keeps the first problems of a text and counts the rest: a hostile one has as many as bytes.
class ProblemList {
 public:
  static constexpr std::size_t kMost = 1000;

  void add(std::int64_t line, std::string reason) {
    if (problems_.size() < kMost) problems_.push_back({line, std::move(reason)});
    if (++count_ == kMost + 1) first_left_out_ = line;
  }

  /// The problems, with one more that counts those left out.
  std::vector<schema::DumpProblem> take() {
    if (count_ > kMost) {
      problems_.push_back({first_left_out_, "and " + std::to_string(count_ - kMost) +
                                                " more problems from here on"});
    }
    return std::move(problems_);
  }

 private:
  std::vector<schema::DumpProblem> problems_;
  std::size_t count_ = 0;
  std::int64_t first_left_out_ = 0;
};

/// The line of a place in a text. Places asked for in order take time linear in the text; for one
/// before the last it is the last one's line.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  /// Counted from 1.
  std::int64_t line_of(std::size_t offset) {
    if (offset > place_) {
      line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(place_),
                          text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
      place_ = offset;
    }
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t place_ = 0;
  std::int64_t line_ = 1;
};

/// A text's beginning, for a sentence about it.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return schema::beginning_of(text, kMost);
}

}  // namespace benchhud::ingest
