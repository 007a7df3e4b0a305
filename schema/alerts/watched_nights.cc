#include "schema/alerts/watched_nights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/db/key_lookup.h"
#include "schema/db/text_store.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

// What was kept; none if it is not what it was.
std::optional<std::string> kept_bytes(std::string_view content, std::int64_t byte_count,
                                      bool is_zstd, std::string_view stored) {
  auto bytes = unpack_text(stored, is_zstd, byte_count);
  if (!bytes || content_hash(*bytes).view() != content) return std::nullopt;
  return *std::move(bytes);
}

void bind_bytes(Statement& insert, int first, const PackedText& packed) {
  insert.bind_blob_view(first, packed.hash.view())
      .bind(first + 1, packed.byte_count)
      .bind(first + 2, packed.is_zstd)
      .bind_blob_view(first + 3, packed.bytes);
}

}  // namespace

Expected<void> NightFacts::look_up_from(const Run& run) {
  held_.clear();
  const auto is_it = [&](const Run& night) { return night.id == run.id; };
  auto first =
      std::find_if(nights_.begin() + static_cast<std::ptrdiff_t>(next_), nights_.end(), is_it);
  if (first == nights_.end()) first = std::find_if(nights_.begin(), nights_.end(), is_it);
  std::vector<RunId> ids;
  for (auto night = first; night != nights_.end() && ids.size() < kFewKeysAStatement; ++night) {
    ids.push_back(night->id);
    held_.try_emplace(night->id);
  }
  next_ = static_cast<std::size_t>(first - nights_.begin()) + ids.size();
  return look_up(connection_, sql::kNightFactsOfRuns, std::span<const RunId>(ids),
                 [&](const Statement& row) -> Expected<void> {
                   held_[RunId(row.integer(0))] =
                       Kept{row.integer(1), std::string(row.blob(2)), row.integer(3),
                            row.integer(4) != 0, std::string(row.blob(5))};
                   return {};
                 });
}

Expected<std::optional<std::string>> NightFacts::of(const Run& run) {
  if (!held_.contains(run.id)) BENCHHUD_TRY(look_up_from(run));
  const auto found = held_.extract(run.id);
  if (!found || !found.mapped() || found.mapped()->revision != run.revision) {
    return std::optional<std::string>();
  }
  const Kept& kept = *found.mapped();
  return kept_bytes(kept.content, kept.byte_count, kept.is_zstd, kept.bytes);
}

Expected<std::optional<WatchState>> watch_state(Connection& connection,
                                                std::string_view accelerator_model) {
  Statement query = connection.cached(sql::kWatchStateOfModel);
  query.bind(1, accelerator_model);
  std::optional<WatchState> state;
  if (query.step()) {
    if (auto bytes =
            kept_bytes(query.blob(0), query.integer(1), query.integer(2) != 0, query.blob(3))) {
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
