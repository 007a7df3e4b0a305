// Whether a search of a series can tell anything that the last one did not, at a hundredth of its
// cost.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/changes/night_series.h"

namespace benchhud::analysis {

/// What the last search (find_changes()) of a series left: its last level. Nights since then ask
/// for another search if they are far off it, some of the last together or all on one side of a
/// cut. Places are of all nights of the series; `nights` are those from place `first` on, which may
/// lie behind the beginning of the series, and not behind that of the last level.
class SearchTrigger {
 public:
  /// Nights that may be off the level together.
  static constexpr std::size_t kMostTogether = 12;

  /// A search was made of `nights`: the last level begins at `begin`. `cut`: ChangeRules::cut.
  void learn(std::span<const Night> nights, std::size_t begin, const NightNoise& noise, double cut,
             std::size_t first = 0);

  /// The last nights, kMostTogether at most, are off the level together: by what find_changes() may
  /// tell, or suspect, from the first night on. `nights`: those of learn(), and since then one more
  /// each time.
  bool is_off(std::span<const Night> nights, std::size_t first = 0);

  /// The level is two, wherever it is cut: a change too small for its first nights to tell. Of the
  /// last `most` nights.
  bool is_two(std::span<const Night> nights, std::size_t most, std::size_t first = 0);

  /// The place of the first night of the last level.
  std::size_t begin() const { return begin_; }
  /// Nights have other levels than they had: what was added up of them is added up again.
  void forget_sums() { sums_.clear(); }

 private:
  friend struct StateFields;

  // `level`: the nights from `begin_` on.
  void follow(std::span<const Night> level);
  double off_together() const;
  double apart(std::size_t nights, double least) const;

  double level_ = 0;
  std::size_t begin_ = 0;
  double deviation_ = 0, correlation_ = 0, cut_ = 0;
  // Made anew from the above and the nights: how far the nights of the level are off, none by more
  // than `cut_`, added up from its first night on; and of the sum of one night, two and so on the
  // variance.
  std::vector<double> sums_;
  std::array<double, kMostTogether> variances_{};
};

}  // namespace benchhud::analysis
