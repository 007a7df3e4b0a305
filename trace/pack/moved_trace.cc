#include "trace/pack/moved_trace.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <random>
#include <utility>

#include "schema/base/time.h"
#include "schema/db/rows.h"
#include "schema/db/setting.h"
#include "trace/queries.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::Statement;
using schema::TraceId;

namespace {

// A downloaded copy of a store has none of these (schema/store/store_backup.h).
constexpr std::string_view kPlaceKey = "trace_place";
constexpr std::string_view kTakesNewKey = "trace_place_takes_new";
constexpr std::string_view kIdKey = "trace_place_id";

std::atomic<bool> given_up = false;  // the places, by this process

Expected<PlacedPack> placed_pack(const Statement& row, int column) {
  PlacedPack pack;
  pack.key = row.text(column);
  pack.facts.hash = hash_of(row, column + 1);
  if (row.blob(column + 1).size() != pack.facts.hash.bytes.size()) {
    return Error{ErrorCode::kCorrupt, fmt::format("the hash of the pack {} is damaged", pack.key)};
  }
  pack.facts.byte_count = row.integer(column + 2);
  return pack;
}

OrphanPack orphan_of(const Statement& row) {
  return {std::string(row.text(0)), row.real(1), row.real(2), row.optional_real(3)};
}

}  // namespace

std::string key_of_pack(const PackFacts& facts, int round) {
  const std::string hash = facts.hash.hex();
  const std::string again = round == 0 ? "" : fmt::format(".{}", round);
  return fmt::format("{}{}/{}.v{}{}", kPackPrefix, hash.substr(0, 2), hash, kPackVersion, again);
}

Expected<std::optional<PlacedPack>> pack_of_trace(Connection& store, TraceId trace) {
  Statement query = store.cached(sql::kPackOfTrace);
  query.bind(1, trace);
  std::optional<PlacedPack> pack;
  if (query.step()) {
    BENCHHUD_ASSIGN(pack, placed_pack(query, 0));
  }
  BENCHHUD_TRY(query.status());
  return pack;
}

Expected<std::vector<MovedTrace>> moved_traces(Connection& store) {
  Statement query = store.cached(sql::kPacksOfTraces);
  std::vector<MovedTrace> all;
  while (query.step()) {
    BENCHHUD_ASSIGN(auto pack, placed_pack(query, 1));
    all.push_back({TraceId(query.integer(0)), std::move(pack)});
  }
  BENCHHUD_TRY(query.status());
  return all;
}

Expected<bool> is_pack_used(Connection& store, std::string_view key) {
  Statement query = store.cached(sql::kIsPackUsed);
  query.bind(1, key);
  const bool is_used = query.step() && query.integer(0) != 0;
  BENCHHUD_TRY(query.status());
  return is_used;
}

Expected<NotedTrace> noted_trace(Connection& store, TraceId trace) {
  Statement query = store.cached(sql::kNotedTrace);
  query.bind(1, trace);
  return schema::one(
      query, [](const Statement& row) { return NotedTrace{hash_of(row, 0), row.integer(1)}; },
      fmt::format("trace {}", to_int(trace)));
}

Expected<std::optional<bool>> pack_lacks_findings(Connection& store, TraceId trace) {
  Statement query = store.cached(sql::kPackLacksFindings);
  query.bind(1, trace);
  std::optional<bool> lacks;
  if (query.step()) lacks = query.integer(0) != 0;
  BENCHHUD_TRY(query.status());
  return lacks;
}

Expected<std::optional<OrphanPack>> orphan_pack(Connection& store, std::string_view key) {
  Statement query = store.cached(sql::kOrphanPack);
  query.bind(1, key);
  std::optional<OrphanPack> found;
  if (query.step()) found = orphan_of(query);
  BENCHHUD_TRY(query.status());
  return found;
}

Expected<std::vector<OrphanPack>> orphan_packs(Connection& store) {
  Statement query = store.cached(sql::kOrphanPacks);
  return collect(query, orphan_of);
}

Expected<void> leave_pack(Connection& store, TraceId trace) {
  const double now = schema::now();
  BENCHHUD_TRY(store.cached(sql::kPutOrphanPack)
                   .bind(1, trace)
                   .bind(2, now)
                   .bind(3, now + kOrphanAge)
                   .run());
  return store.cached(sql::kDeleteTracePack).bind(1, trace).run();
}

Expected<void> note_stranger(Connection& store, std::string_view key, double now) {
  return store.cached(sql::kPutStrangerPack)
      .bind(1, key)
      .bind(2, now)
      .bind(3, now + kStrangerAge)
      .run();
}

Expected<void> give_up_pack(Connection& store, std::string_view key, double now) {
  return store.cached(sql::kGiveUpPack).bind(1, key).bind(2, now).run();
}

Expected<void> forget_orphan_pack(Connection& store, std::string_view key) {
  return store.cached(sql::kDeleteOrphanPack).bind(1, key).run();
}

Expected<void> forget_given_up_packs(Connection& store, double time) {
  return store.cached(sql::kDeleteGivenUpPacks).bind(1, time).run();
}

Expected<std::optional<TraceId>> next_trace_to_move(Connection& store, TraceId after) {
  Statement query = store.cached(sql::kTracesToMove);
  query.bind(1, after);
  std::optional<TraceId> next;
  if (query.step()) next = TraceId(query.integer(0));
  BENCHHUD_TRY(query.status());
  return next;
}

Expected<PackSizes> packs_in_place(schema::ObjectPlace& place) {
  PackSizes sizes;
  BENCHHUD_TRY(place.list(kPackPrefix, [&](const schema::PlacedObject& each) -> Expected<void> {
    sizes.emplace(each.key, each.byte_count);
    return {};
  }));
  return sizes;
}

bool has_pack(const PackSizes& sizes, const PlacedPack& pack) {
  const auto found = sizes.find(pack.key);
  return found != sizes.end() && found->second == pack.facts.byte_count;
}

Expected<TraceCounts> count_traces(Connection& store) {
  Statement query = store.cached(sql::kCountTracesByPlace);
  return one(
      query,
      [](const Statement& row) {
        return TraceCounts{row.integer(0), row.integer(1), row.integer(2), row.integer(3)};
      },
      "count");
}

Expected<std::optional<TracePlace>> trace_place(Connection& store) {
  std::optional<TracePlace> place;
  BENCHHUD_ASSIGN(const auto address, schema::setting(store, kPlaceKey));
  if (!address || address->empty()) return place;
  BENCHHUD_ASSIGN(const auto id, schema::setting(store, kIdKey));
  BENCHHUD_ASSIGN(const auto takes_new, schema::setting(store, kTakesNewKey));
  place = TracePlace{*address, id.value_or(""), takes_new == "1"};
  return place;
}

Expected<bool> takes_new_traces(Connection& store, const schema::ObjectPlace& place) {
  BENCHHUD_ASSIGN(const auto known, trace_place(store));
  return known && known->takes_new && known->address == place.address();
}

Expected<std::unique_ptr<schema::ObjectPlace>> open_trace_place(const TracePlace& place,
                                                                std::function<bool()> gives_up) {
  schema::PlaceOptions options;
  options.id = place.id;
  options.gives_up = [gives_up = std::move(gives_up)] {
    return are_places_given_up() || (gives_up && gives_up());
  };
  return schema::open_place(place.address, options);
}

void give_up_places() { given_up = true; }

bool are_places_given_up() { return given_up; }

Expected<void> set_trace_place(Connection& store, const std::optional<TracePlace>& known,
                               const std::optional<TracePlace>& place) {
  BENCHHUD_ASSIGN(const auto now, trace_place(store));
  if (now != known) {
    return Error{ErrorCode::kConflict,
                 "another process has changed the store's place for traces meanwhile; `benchhud "
                 "traces` says where they are now"};
  }
  BENCHHUD_TRY(schema::put_setting(store, kPlaceKey, place ? place->address : ""));
  if (place) {
    BENCHHUD_TRY(schema::put_setting(store, kIdKey, place->id));
  }
  return schema::put_setting(store, kTakesNewKey, place && place->takes_new ? "1" : "0");
}

Expected<std::string> place_id(Connection& store) {
  BENCHHUD_ASSIGN(const auto known, schema::setting(store, kIdKey));
  if (known && !known->empty()) return *known;
  std::random_device random;
  const std::string id =
      fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
  BENCHHUD_TRY(schema::put_setting(store, kIdKey, id));
  return id;
}

}  // namespace benchhud::trace
