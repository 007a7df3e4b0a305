// Handing over a long text or file piece by piece.
#pragma once

#include <functional>
#include <string_view>

namespace benchhud::schema {

/// Takes the next piece; false: nobody wants more.
using ByteSink = std::function<bool(std::string_view)>;

}  // namespace benchhud::schema
