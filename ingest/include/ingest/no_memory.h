// What is said of a file, a line or a trace that there is no memory for, and of whatever else was
// thrown while it was read.
#pragma once

#include <exception>
#include <new>

#include "schema/errors.h"

namespace benchhud::ingest {

inline constexpr const char* kNoMemory = "there is not enough memory to read it";

/// The std::exception that is being handled: kTooLarge where memory was lacking, else kInternal. To
/// be called in a handler only.
inline schema::Error caught_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {schema::ErrorCode::kTooLarge, kNoMemory};
  } catch (const std::exception& error) {
    return {schema::ErrorCode::kInternal, error.what()};
  }
}

}  // namespace benchhud::ingest
