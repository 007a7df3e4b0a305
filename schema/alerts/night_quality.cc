#include "schema/alerts/night_quality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "schema/db/row_batch.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

void bind_quality(const NightQualityOfRun& row, int first, Statement* insert) {
  const NightQuality& quality = row.quality;
  std::vector<std::int64_t> alike;
  for (const RunId one : quality.alike) alike.push_back(to_int(one));
  insert->bind(first, row.run).bind(first + 1, quality.judged).bind(first + 2, quality.off);
  insert->bind(first + 3, quality.is_disturbed).bind(first + 4, quality.scatter);
  insert->bind(first + 5, fmt::format("[{}]", fmt::join(alike, ",")));
}

}  // namespace

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

Expected<bool> put_night_qualities(Connection& connection,
                                   std::span<const NightQualityOfRun> nights) {
  RowBatch<NightQualityOfRun> rows(connection, sql::kPutNightQuality, 6, bind_quality);
  for (const NightQualityOfRun& night : nights) {
    BENCHHUD_ASSIGN(NightQualityOfRun* const row, rows.add());
    *row = night;
  }
  BENCHHUD_TRY(rows.flush());
  return rows.take_changes() > 0;
}

}  // namespace benchhud::schema
