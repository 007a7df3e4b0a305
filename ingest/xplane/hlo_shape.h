// Types of HLO values, by the numbers that xla_data.proto gives them.
#pragma once

#include <cstdint>
#include <string_view>

namespace benchhud::ingest {

inline constexpr std::int64_t kHloTuple = 13;

/// "f32" of 11; "" of a number that stands for no type known.
std::string_view hlo_element_type(std::int64_t number);

}  // namespace benchhud::ingest
