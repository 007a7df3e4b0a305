// How boost's distributions are reckoned here.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace benchhud::analysis {

// Not in long double, of which no digit is wanted here and which takes thrice as long.
using DoublePolicy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace benchhud::analysis
