// Reading and writing what is large.
#pragma once

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// From now on the connection caches 2 MB of pages in place of 6: requests about a trace seldom
/// repeat.
Expected<void> read_with_small_buffer(Connection& connection);

/// While it lives, a connection that writes keeps 8 MB of pages in place of 64: those of a trace
/// are written one behind the other, and few of them again. What else is changed goes to the log.
class SmallWriteBuffer {
 public:
  explicit SmallWriteBuffer(Connection& connection);
  ~SmallWriteBuffer();
  SmallWriteBuffer(const SmallWriteBuffer&) = delete;
  SmallWriteBuffer& operator=(const SmallWriteBuffer&) = delete;

 private:
  Connection& connection_;
};

}  // namespace benchhud::schema
