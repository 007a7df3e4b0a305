// Nights that come in two states which take turns: two machines that relieve each other, or clocks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/fleet/pooling.h"

namespace benchhud::analysis {

/// Values of series by night; NaN where a night has none.
using NightMatrix = std::vector<std::span<const float>>;

/// Which nights are in the rarer of two states that take turns. None if there are not: a lasting
/// change is no turn. Looks at most at 1,000 of the series.
///
/// The leading direction of the differences of neighbouring nights, in which one lasting step is
/// one large difference and turns are many; of the nights' scores along it the best split in two
/// (least squares). They are two states if there are eight nights, three switches, and a gap
/// between the scores of 4.5 standard deviations within, and of more where nights are few.
std::optional<std::vector<bool>> find_state(const NightMatrix& nights, std::size_t series);
/// Those of so many series that find_state() looks at: it finds the same in them alone.
std::vector<std::size_t> looked_at_for_states(std::size_t series);

/// Of each series the standard deviation of a night, from the smaller differences of neighbouring
/// nights, which turns do not enlarge. Infinite where it has no two nights in a row.
std::vector<double> noise_without_turns(const NightMatrix& nights, std::size_t series);

/// What a state does to each series: the median of its differences at the switches, shrunk.
/// `is_in`: by night.
Effects effects_of_state(const NightMatrix& nights, const std::vector<bool>& is_in,
                         std::span<const double> noise);

}  // namespace benchhud::analysis
