#include "schema/db/time_shift.h"

#include <charconv>
#include <string>

#include "schema/db/setting.h"

namespace benchhud::schema {
namespace {

constexpr std::string_view kKey = "time_shift_weeks";

}  // namespace

Expected<std::optional<std::int64_t>> time_shift_weeks(Connection& connection) {
  BENCHHUD_ASSIGN(const auto text, setting(connection, kKey));
  if (!text) return std::optional<std::int64_t>();
  std::int64_t weeks = 0;
  const char* const end = text->data() + text->size();
  if (std::from_chars(text->data(), end, weeks) != std::from_chars_result{end, std::errc()}) {
    return Error{ErrorCode::kCorrupt, "the store's time shift is no number: " + *text};
  }
  return std::optional(weeks);
}

Expected<void> keep_time_shift(Connection& connection, std::int64_t weeks) {
  return put_setting(connection, kKey, std::to_string(weeks));
}

}  // namespace benchhud::schema
