#include "schema/db/setting.h"

#include "schema/queries.h"

namespace benchhud::schema {

Expected<std::optional<std::string>> setting(Connection& connection, std::string_view key) {
  Statement query = connection.cached(sql::kGetSetting);
  query.bind(1, key);
  std::optional<std::string> value;
  if (query.step()) value = query.optional_text(0);
  BENCHHUD_TRY(query.status());
  return value;
}

Expected<void> put_setting(Connection& connection, std::string_view key, std::string_view value) {
  return connection.cached(sql::kPutSetting).bind(1, key).bind(2, value).run();
}

}  // namespace benchhud::schema
