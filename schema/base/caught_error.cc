#include "schema/base/caught_error.h"

#include <simdjson.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace benchhud::schema {

Error caught_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kNoMemory, kNoMemory};
  } catch (const std::length_error&) {
    // Of a string or a vector that would be larger than any memory.
    return {ErrorCode::kNoMemory, kNoMemory};
  } catch (const simdjson::simdjson_error& error) {
    if (error.error() == simdjson::MEMALLOC) return {ErrorCode::kNoMemory, kNoMemory};
    return {ErrorCode::kInternal, error.what()};
  } catch (const std::system_error& error) {
    const bool is_memory = error.code() == std::errc::resource_unavailable_try_again ||
                           error.code() == std::errc::not_enough_memory;
    if (is_memory) return {ErrorCode::kNoMemory, kNoMemory};
    return {ErrorCode::kInternal, error.what()};
  } catch (const std::exception& error) {
    return {ErrorCode::kInternal, error.what()};
  }
}

}  // namespace benchhud::schema
