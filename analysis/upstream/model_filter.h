// Which models a report shows: regular expressions over their names, and tiers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::analysis {

struct ModelPatterns {
  std::vector<std::string> filter = {};   ///< a model must match one of them, if there are any
  std::vector<std::string> exclude = {};  ///< and none of these
  std::vector<int> filter_by_tier = {};   ///< 1 to 3; adds to `filter`. Other numbers add nothing
  std::vector<int> exclude_by_tier = {};
};

/// The regular expression that a tier's model names match as a whole; "" for a number that is no
/// tier.
std::string_view tier_pattern(int tier);

/// Patterns have Perl's syntax, find a match anywhere in the name and ignore case. The engine
/// counts its steps: a pattern that would take for ever on a name is an error there.
class ModelFilter {
 public:
  /// Error: kInvalidArgument, for a pattern that is none.
  static schema::Expected<ModelFilter> make(const ModelPatterns& patterns);
  ModelFilter(ModelFilter&&) noexcept;
  ModelFilter& operator=(ModelFilter&&) noexcept;
  ~ModelFilter();

  /// Error: kInvalidArgument, for a pattern that takes too long on `model`.
  schema::Expected<bool> keeps(const std::string& model) const;

 private:
  struct State;
  explicit ModelFilter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::analysis
