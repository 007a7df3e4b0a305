// What errors of the system (errno) mean for a store.
#pragma once

#include <cerrno>

namespace benchhud::schema {

/// Whether the disk is full, or what one may have of it.
inline bool is_out_of_space(int error) { return error == ENOSPC || error == EDQUOT; }

}  // namespace benchhud::schema
