#include "schema/alerts/night_quality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "schema/queries.h"

namespace benchhud::schema {

Expected<std::optional<NightQuality>> night_quality(Connection& connection, RunId run) {
  Statement query = connection.cached(sql::kNightQuality);
  query.bind(1, run);
  std::optional<NightQuality> quality;
  if (query.step()) {
    quality.emplace();
    quality->judged = query.integer(0);
    quality->off = query.integer(1);
    quality->is_disturbed = query.integer(2) != 0;
    quality->scatter = query.optional_real(3);
  }
  BENCHHUD_TRY(query.status());
  if (!quality) return quality;
  Statement alike = connection.cached(sql::kAlikeNights);
  alike.bind(1, run);
  while (alike.step()) quality->alike.push_back(RunId(alike.integer(0)));
  BENCHHUD_TRY(alike.status());
  return quality;
}

Expected<bool> put_night_quality(Connection& connection, RunId run, const NightQuality& quality) {
  std::vector<std::int64_t> alike;
  for (const RunId one : quality.alike) alike.push_back(to_int(one));
  Statement put = connection.cached(sql::kPutNightQuality);
  put.bind(1, run).bind(2, quality.judged).bind(3, quality.off);
  put.bind(4, std::int64_t{quality.is_disturbed})
      .bind(5, quality.scatter)
      .bind(6, fmt::format("[{}]", fmt::join(alike, ",")));
  BENCHHUD_TRY(put.run());
  return connection.changes() > 0;
}

}  // namespace benchhud::schema
