#include "schema/db/buffered_reading.h"

namespace benchhud::schema {

Expected<void> read_with_small_buffer(Connection& connection) {
  return connection.execute("PRAGMA cache_size = -2000;");
}

// A buffer of another size is slower or larger, and no error.
SmallWriteBuffer::SmallWriteBuffer(Connection& connection) : connection_(connection) {
  (void)connection_.execute("PRAGMA cache_size = -8000;");
}

SmallWriteBuffer::~SmallWriteBuffer() { (void)connection_.execute("PRAGMA cache_size = -64000;"); }

}  // namespace benchhud::schema
