// What is said of a file, a line or a trace that there is no memory for.
#pragma once

namespace benchhud::ingest {

inline constexpr const char* kNoMemory = "there is not enough memory to read it";

}  // namespace benchhud::ingest
