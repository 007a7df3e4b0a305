#include "schema/buffered_reading.h"

namespace benchhud::schema {

Expected<void> read_without_mapping(Connection& connection) {
  return connection.execute("PRAGMA mmap_size = 0; PRAGMA cache_size = -2000;");
}

}  // namespace benchhud::schema
