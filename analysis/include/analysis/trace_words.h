// Numbers of traces as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace benchhud::analysis {

/// "1.234 ms": seconds, milliseconds or microseconds.
std::string time_words(std::int64_t ns);
/// "12.3 %".
std::string share_words(double share);
/// "1 kernel", "2 kernels": a noun whose plural ends with s.
std::string count_words(std::int64_t count, std::string_view noun);

}  // namespace benchhud::analysis
