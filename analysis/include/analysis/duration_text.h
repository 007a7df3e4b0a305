// Durations as a person reads them.
#pragma once

#include <string>

namespace benchhud::analysis {

/// Three digits and the unit that fits: "5.06 s", "2.65 ms", "35.1 µs", "812 ns"; "0 s" for zero.
/// What is not finite reads "unknown".
std::string duration_text(double seconds);

}  // namespace benchhud::analysis
