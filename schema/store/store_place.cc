#include "schema/store/store_place.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "schema/queries.h"
#include "schema/store/store.h"

namespace benchhud::schema {

Expected<bool> is_default_store(Connection& connection) {
  Statement query = connection.cached(sql::kMainFile);
  std::string path;
  if (query.step()) path = query.text(0);
  BENCHHUD_TRY(query.status());
  std::error_code error;
  return std::filesystem::equivalent(path, default_store_path(), error) && !error;
}

}  // namespace benchhud::schema
