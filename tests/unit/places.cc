#include "tests/unit/places.h"

namespace benchhud {

// In this unit alone: what is compiled with the checkout's path is compiled again in every other
// checkout.
std::filesystem::path source_root() { return BENCHHUD_SOURCE_ROOT; }

}  // namespace benchhud
