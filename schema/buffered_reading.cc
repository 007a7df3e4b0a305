#include "schema/buffered_reading.h"

namespace benchhud::schema {

Expected<void> read_with_small_buffer(Connection& connection) {
  return connection.execute("PRAGMA cache_size = -2000;");
}

}  // namespace benchhud::schema
