#include "trace/pack/trace_move.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "schema/db/rows.h"
#include "schema/results/unrecognized_files.h"
#include "trace/pack/trace_copy.h"
#include "trace/queries.h"
#include "trace/trace_finding.h"
#include "trace/trace_index_version.h"
#include "trace/trace_queries.h"

namespace benchhud::trace {

using schema::Connection;
using schema::ErrorCode;
using schema::Expected;
using schema::ObjectPlace;
using schema::TraceId;
using schema::Transaction;
using schema::UnfinishedFile;

namespace {

/// Beside the store, for this process and thread alone.
Expected<UnfinishedFile> file_for_pack(const std::string& store_file) {
  static std::atomic<unsigned> count{0};
  return UnfinishedFile::make(fmt::format("{}-pack-{}", store_file, ++count));
}

Expected<void> delete_parts(Connection& store, TraceId trace) {
  for (const std::string_view part : kPartsOfATrace) {
    schema::Statement remove =
        store.prepare(fmt::format("DELETE FROM {} WHERE trace_id = $1", part));
    BENCHHUD_TRY(remove.bind(1, trace).run());
  }
  return {};
}

/// Whether somebody is removing the object of this key, or has removed it.
Expected<bool> is_given_up(Connection& store, std::string_view key) {
  BENCHHUD_ASSIGN(const auto orphan, orphan_pack(store, key));
  return orphan && orphan->given_up_at;
}

}  // namespace

Expected<PutPack> PutPack::write(Connection& from, TraceId trace, const std::string& store_file) {
  BENCHHUD_ASSIGN(UnfinishedFile file, file_for_pack(store_file));
  PlacedPack pack;
  // Its HLO stays in the store, where several traces share a module.
  BENCHHUD_ASSIGN(pack.facts, write_pack(from, trace, std::nullopt, file.path()));
  schema::Statement query = from.cached(sql::kWholeIndexVersion);
  query.bind(1, trace);
  std::optional<std::int64_t> index_version;
  if (query.step()) index_version = query.integer(0);
  BENCHHUD_TRY(query.status());
  BENCHHUD_ASSIGN(const bool lacks, lacks_findings(from, trace));
  BENCHHUD_ASSIGN(const TraceInfo info, TraceQueries(from, trace).info());
  return PutPack(std::move(file), std::move(pack), info.origin, index_version, lacks);
}

Expected<void> PutPack::put(Connection& store, ObjectPlace& place) {
  for (int round = 0;; ++round) {
    pack_.key = key_of_pack(pack_.facts, round);
    BENCHHUD_ASSIGN(const bool is_over, is_given_up(store, pack_.key));
    if (!is_over) break;
  }
  return place.put(pack_.key, file_.path());
}

Expected<bool> PutPack::note(Connection& store, TraceId trace) const {
  BENCHHUD_ASSIGN(const bool is_over, is_given_up(store, pack_.key));
  if (is_over) return false;
  BENCHHUD_TRY(store.cached(sql::kPutTracePack)
                   .bind(1, trace)
                   .bind(2, pack_.key)
                   .bind_blob(3, pack_.facts.hash.view())
                   .bind(4, pack_.facts.byte_count)
                   .bind(5, origin_)
                   .bind(6, index_version_)
                   .bind(7, std::int64_t{lacks_findings_})
                   .run());
  BENCHHUD_TRY(store.cached(sql::kDeleteOrphanPack).bind(1, pack_.key).run());
  return true;
}

namespace {

/// The second part of move_out(): `version` is the store's when the pack was made. `was_given_up`:
/// set to whether the pack has to be put again.
Expected<std::optional<PlacedPack>> note_moved(Connection& store, TraceId trace,
                                               const ObjectPlace& place, std::int64_t version,
                                               const PutPack& put, bool* was_given_up) {
  BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
  // The store may have been given another place, or none, while the pack was put into this one.
  BENCHHUD_ASSIGN(const bool takes_new, takes_new_traces(store, place));
  if (!takes_new) return std::optional<PlacedPack>();
  BENCHHUD_ASSIGN(const auto moved, pack_of_trace(store, trace));
  if (moved) return std::optional<PlacedPack>();
  BENCHHUD_ASSIGN(const std::int64_t version_now, store.data_version());
  if (version_now != version) {
    // Somebody has written meanwhile: its dump may be gone, so that it is only somebody's own, or
    // it may have changed. The same trace makes the same bytes.
    BENCHHUD_ASSIGN(const auto next, next_trace_to_move(store, TraceId(to_int(trace) - 1)));
    if (next != trace) return std::optional<PlacedPack>();
    BENCHHUD_ASSIGN(const std::string store_file, schema::store_file(store));
    BENCHHUD_ASSIGN(const UnfinishedFile again, file_for_pack(store_file));
    const auto facts = write_pack(store, trace, std::nullopt, again.path());
    if (!facts && facts.error().code == ErrorCode::kNotFound) return std::optional<PlacedPack>();
    if (!facts) return facts.error();
    if (facts->hash != put.pack().facts.hash) return std::optional<PlacedPack>();
  }
  BENCHHUD_ASSIGN(const bool is_noted, put.note(store, trace));
  *was_given_up = !is_noted;
  if (!is_noted) return std::optional<PlacedPack>();
  BENCHHUD_TRY(delete_parts(store, trace));
  BENCHHUD_TRY(writing.commit());
  return std::optional(put.pack());
}

}  // namespace

Expected<std::optional<PlacedPack>> move_out(Connection& store, TraceId trace, ObjectPlace& place,
                                             const schema::StoreTurns* turns) {
  BENCHHUD_ASSIGN(const std::string store_file, schema::store_file(store));
  std::optional<PutPack> put;
  std::int64_t version = 0;
  {
    BENCHHUD_ASSIGN(const auto reading, Transaction::begin(store, Transaction::Kind::kRead));
    BENCHHUD_ASSIGN(version, store.data_version());
    auto made = PutPack::write(store, trace, store_file);
    if (!made && made.error().code == ErrorCode::kNotFound) return std::optional<PlacedPack>();
    if (!made) return std::move(made).error();
    put.emplace(*std::move(made));
  }
  constexpr int kMostRounds = 5;
  for (int i = 0; i < kMostRounds; ++i) {
    BENCHHUD_TRY(put->put(store, place));
    std::optional<schema::StoreLock> turn;
    if (turns != nullptr) {
      BENCHHUD_ASSIGN(auto taken, turns->take(store));
      turn.emplace(std::move(taken));
    }
    bool was_given_up = false;
    BENCHHUD_ASSIGN(auto moved, note_moved(store, trace, place, version, *put, &was_given_up));
    if (!was_given_up) return moved;
  }
  return schema::Error{ErrorCode::kBusy,
                       fmt::format("{} is given up again and again by who prunes orphans in {}",
                                   put->pack().key, place.address())};
}

Expected<TakenBack> take_back(Connection& store, TraceId trace, const OpenTrace& open) {
  BENCHHUD_ASSIGN(const auto pack, pack_of_trace(store, trace));
  if (!pack) return TakenBack::kWasThere;
  if (pack->key != open.pack_key()) return TakenBack::kIsElsewhere;
  // Nothing of it should be there; an older program may have left some.
  BENCHHUD_TRY(delete_parts(store, trace));
  for (const std::string_view part : kPartsOfATrace) {
    BENCHHUD_ASSIGN(auto copy, schema::TableCopy::make(open.database(), part, "trace_id"));
    BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t rows,
                    copy.run(store, schema::to_int(open.number()), schema::to_int(trace)));
  }
  BENCHHUD_TRY(leave_pack(store, trace));
  return TakenBack::kTaken;
}

bool is_of_the_place(const schema::Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kPlaceRefused;
}

bool is_of_a_pack(const schema::Error& error) {
  return is_of_the_place(error) || error.code == ErrorCode::kCorrupt;
}

Expected<std::vector<schema::ArtifactId>> dumps_of_lost_packs(Connection& store) {
  std::vector<schema::ArtifactId> dumps;
  BENCHHUD_ASSIGN(const auto moved, moved_traces(store));
  BENCHHUD_ASSIGN(const auto known, trace_place(store));
  if (moved.empty() || !known) return dumps;
  const auto list = [&]() -> Expected<PackSizes> {
    BENCHHUD_ASSIGN(const auto place, open_trace_place(*known));
    return packs_in_place(*place);
  };
  const auto sizes = list();
  if (!sizes) return dumps;
  for (const MovedTrace& each : moved) {
    if (has_pack(*sizes, each.pack)) continue;
    schema::Statement query = store.cached(sql::kDumpsOfTrace);
    query.bind(1, each.trace);
    while (query.step()) dumps.push_back(schema::ArtifactId(query.integer(0)));
    BENCHHUD_TRY(query.status());
  }
  return dumps;
}

Expected<bool> forget_lost_pack(Connection& store, TraceId trace, std::string_view key) {
  BENCHHUD_ASSIGN(const auto pack, pack_of_trace(store, trace));
  if (!pack || pack->key != key) return false;
  BENCHHUD_TRY(delete_parts(store, trace));
  BENCHHUD_TRY(leave_pack(store, trace));
  return true;
}

Expected<void> put_back(Connection& store, TraceId trace) {
  BENCHHUD_ASSIGN(const auto known, trace_place(store));
  if (!known || !known->takes_new) return {};
  BENCHHUD_ASSIGN(const auto place, open_trace_place(*known));
  BENCHHUD_ASSIGN([[maybe_unused]] const auto moved, move_out(store, trace, *place));
  return {};
}

Expected<std::int64_t> index_moved_traces(Connection& store, ReindexScope which,
                                          const std::function<bool()>& go_on) {
  constexpr std::int64_t kNoVersion = -1;
  schema::Statement query = store.cached(sql::kMovedTracesWithoutIndex);
  query.bind(1, which == ReindexScope::kStale ? kTraceIndexVersion : kNoVersion)
      .bind(2, kMostIndexedLabels);
  BENCHHUD_ASSIGN(const auto traces, collect(query, [](const schema::Statement& row) {
                    return TraceId(row.integer(0));
                  }));
  const auto index = [&](TraceId trace) -> Expected<bool> {
    // Fetched and checked before the lock is taken.
    BENCHHUD_ASSIGN(const OpenTrace open, OpenTrace::open(store, trace));
    {
      BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
      BENCHHUD_ASSIGN(const TakenBack taken, take_back(store, trace, open));
      if (taken != TakenBack::kTaken) return false;
      BENCHHUD_TRY(index_trace(store, trace));
      BENCHHUD_TRY(writing.commit());
    }
    BENCHHUD_TRY(put_back(store, trace));
    return true;
  };
  std::int64_t count = 0;
  std::optional<schema::Error> failed;
  for (const TraceId trace : traces) {
    if (go_on && !go_on()) break;
    auto done = index(trace);
    if (done) {
      count += *done ? 1 : 0;
      continue;
    }
    const bool ends = is_of_the_place(done.error());
    if (!failed) {
      failed = std::move(done).error();
      failed->message = fmt::format("trace {}: {}", schema::to_int(trace), failed->message);
    }
    if (ends) break;
  }
  if (failed) return *std::move(failed);
  return count;
}

}  // namespace benchhud::trace
