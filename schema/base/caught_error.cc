#include "schema/base/caught_error.h"

#include <simdjson.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace benchhud::schema {
namespace {

/// Where not even the sentence can be had, words so short that a std::string holds them itself.
Error no_memory() noexcept {
  Error error{ErrorCode::kNoMemory, "no memory"};
  try {
    error.message = kNoMemory;
  } catch (const std::bad_alloc&) {
  }
  return error;
}

}  // namespace

Error caught_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {
    // Of a string or a vector that would be larger than any memory.
    return no_memory();
  } catch (const simdjson::simdjson_error& error) {
    if (error.error() == simdjson::MEMALLOC) return no_memory();
    return {ErrorCode::kInternal, error.what()};
  } catch (const std::system_error& error) {
    const bool is_memory = error.code() == std::errc::resource_unavailable_try_again ||
                           error.code() == std::errc::not_enough_memory;
    if (is_memory) return no_memory();
    return {ErrorCode::kInternal, error.what()};
  } catch (const std::exception& error) {
    return {ErrorCode::kInternal, error.what()};
  }
}

}  // namespace benchhud::schema
