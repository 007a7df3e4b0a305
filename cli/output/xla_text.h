// What an XPlane profile says of XLA, for people.
#pragma once

#include <nlohmann/json.hpp>

namespace benchhud::cli {

/// `xla`: analysis::xla_json(); nothing is printed of null.
void print_xla_report(const nlohmann::ordered_json& xla);

}  // namespace benchhud::cli
