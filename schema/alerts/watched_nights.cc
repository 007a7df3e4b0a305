#include "schema/alerts/watched_nights.h"

#include <utility>

#include "schema/base/content_hash.h"
#include "schema/db/text_store.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

// The bytes of a row that begins with content, byte_count, is_zstd and bytes; none if they are not
// what they were.
std::optional<std::string> kept_bytes(const Statement& row) {
  auto bytes = unpack_text(row.blob(3), row.integer(2) != 0, row.integer(1));
  if (!bytes || content_hash(*bytes).view() != row.blob(0)) return std::nullopt;
  return *std::move(bytes);
}

void bind_bytes(Statement& insert, int first, const PackedText& packed) {
  insert.bind_blob_view(first, packed.hash.view())
      .bind(first + 1, packed.byte_count)
      .bind(first + 2, packed.is_zstd)
      .bind_blob_view(first + 3, packed.bytes);
}

}  // namespace

Expected<std::optional<std::string>> night_facts(Connection& connection, RunId run,
                                                 std::int64_t revision) {
  Statement query = connection.cached(sql::kNightFactsOfRun);
  query.bind(1, run).bind(2, revision);
  std::optional<std::string> bytes;
  if (query.step()) bytes = kept_bytes(query);
  BENCHHUD_TRY(query.status());
  return bytes;
}

Expected<std::optional<WatchState>> watch_state(Connection& connection,
                                                std::string_view accelerator_model) {
  Statement query = connection.cached(sql::kWatchStateOfModel);
  query.bind(1, accelerator_model);
  std::optional<WatchState> state;
  if (query.step()) {
    if (auto bytes = kept_bytes(query)) {
      state = WatchState{query.integer(4), std::string(query.text(5)), *std::move(bytes)};
    }
  }
  BENCHHUD_TRY(query.status());
  return state;
}

Expected<void> put_night_facts(Connection& connection, RunId run, std::int64_t revision,
                               std::string_view bytes) {
  const PackedText packed = pack_text(bytes);
  Statement insert = connection.cached(sql::kPutNightFacts);
  insert.bind(1, run).bind(2, revision);
  bind_bytes(insert, 3, packed);
  return insert.run();
}

Expected<void> put_watch_state(Connection& connection, std::string_view accelerator_model,
                               const WatchState& state) {
  const PackedText packed = pack_text(state.bytes);
  Statement insert = connection.cached(sql::kPutWatchState);
  insert.bind(1, accelerator_model).bind(2, state.night_count).bind(3, state.basis);
  bind_bytes(insert, 4, packed);
  return insert.run();
}

Expected<void> forget_unused_watches(Connection& connection) {
  BENCHHUD_TRY(connection.cached(sql::kDeleteUnusedNightFacts).run());
  BENCHHUD_TRY(connection.cached(sql::kDeleteUnusedNightQualities).run());
  return connection.cached(sql::kDeleteUnusedWatchStates).run();
}

}  // namespace benchhud::schema
