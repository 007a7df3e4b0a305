// What errors of the system (errno) mean for a store.
#pragma once

#include <cerrno>

#include "schema/base/errors.h"

namespace benchhud::schema {

/// Whether the disk is full, or what one may have of it.
inline bool is_out_of_space(int error) { return error == ENOSPC || error == EDQUOT; }

/// What an error of a file that was to be made or locked is.
inline ErrorCode error_code_of(int error) {
  if (error == EACCES || error == EROFS || error == EPERM) return ErrorCode::kReadOnly;
  return is_out_of_space(error) ? ErrorCode::kFull : ErrorCode::kIo;
}

}  // namespace benchhud::schema
