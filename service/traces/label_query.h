// What somebody typed to find names in a trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/trace_queries.h"

namespace benchhud::service {

/// Words, all of which must be in a name, capital or small ASCII letters alike. `"…"`, the last
/// quote may be missing, is a name to the letter, or as answers cut it; a quote in it is written
/// twice. `cat:…` is in the category; `class:…` is the class. Nothing else has a meaning of its
/// own.
class LabelQuery {
 public:
  explicit LabelQuery(std::string_view text);

  /// An empty one fits nothing.
  bool empty() const;
  bool fits(const trace::LabelText& label) const;

 private:
  std::vector<std::string> words_, categories_, classes_;  // folded
  std::vector<std::string> names_;
};

}  // namespace benchhud::service
