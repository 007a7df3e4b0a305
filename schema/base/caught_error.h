// What libraries throw, as errors: above all that there is not enough memory.
#pragma once

#include <exception>

#include "schema/base/errors.h"

namespace benchhud::schema {

inline constexpr const char* kNoMemory = "there is not enough memory";

/// The std::exception that is being handled: kNoMemory where memory was lacking, or what the system
/// needs for another thread; else kInternal, with the exception's own words. To be called in a
/// handler only.
Error caught_error();

/// What `work` returns, an Expected; where it throws, caught_error().
template <class Work>
auto caught(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception&) {
    return caught_error();
  }
}

}  // namespace benchhud::schema
