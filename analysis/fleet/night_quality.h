// How much of a night can be trusted.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace benchhud::analysis {

struct NightQuality {
  std::size_t judged = 0;  ///< series whose level and noise before it are known; 0: nothing is
  /// Of these, those further than three of their standard deviations off their level. What states,
  /// backends and machines are known to do is not counted, but for the first ten nights of a change
  /// of the machine.
  std::size_t off = 0;
  /// The series disagree much more than usual: a quarter of them, of three models and more, is off
  /// beside what all did, or a quarter is off and repetitions scatter two and a half times as much
  /// as usual, or what the machine and the backends did leaves more than it does on other nights.
  /// What single series do on it says little. A lasting change of the machine is disturbed for its
  /// first three nights, if it hit the series differently.
  bool is_disturbed = false;
  /// Nights before it, the last ones, ascending, that were in the same recurring state: probably on
  /// the same other machine. Empty: it is in none.
  std::vector<std::size_t> alike;
  /// By how much the repetitions of a series scatter, as a multiple of what is usual for it: the
  /// median of all series. NaN where it is not known.
  double scatter = std::numeric_limits<double>::quiet_NaN();

  bool is_known() const { return judged > 0; }
};

}  // namespace benchhud::analysis
