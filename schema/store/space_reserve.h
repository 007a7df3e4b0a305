// Room that is kept beside a store for the day on which the disk is full. Whatever deletes from a
// store writes to its log first; without any room nothing could be deleted to make some.
#pragma once

#include <string>

namespace benchhud::schema {

/// Makes the file `STORE-reserve`, or a larger one where the store has grown: a quarter of the
/// store, 4 MB to 64 MB. Where the disk has less than eight times that left, it is left as it is.
/// Nothing depends on it, so a failure is none.
void keep_space_reserve(const std::string& store);

/// Gives the room to the disk if that has hardly any other, less than 4 MB or than that: to be
/// called before something is to be deleted from the store, and before its lock is taken, which
/// takes room, too. The next keep_space_reserve() makes it again. Returns whether the disk has
/// hardly any room.
bool use_space_reserve(const std::string& store);

}  // namespace benchhud::schema
