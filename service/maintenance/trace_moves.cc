#include "service/maintenance/trace_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "schema/base/count_text.h"
#include "schema/base/time.h"
#include "schema/db/audit_note.h"
#include "schema/results/unrecognized_files.h"
#include "schema/store/unfinished_file.h"
#include "trace/pack/open_trace.h"
#include "trace/pack/pack_reading.h"
#include "trace/pack/trace_move.h"

namespace benchhud::service {

using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::ObjectPlace;
using schema::TraceId;
using schema::Transaction;
using trace::MovedTrace;
using trace::TracePlace;

namespace {

constexpr std::size_t kMostProblems = 20;

Expected<schema::UnfinishedFile> temporary_file(Connection& store, std::string_view what) {
  BENCHHUD_ASSIGN(const std::string file, schema::store_file(store));
  return schema::UnfinishedFile::make(fmt::format("{}-{}", file, what));
}

Expected<std::string> id_of(Connection& store) {
  BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
  BENCHHUD_ASSIGN(std::string id, trace::place_id(store));
  BENCHHUD_TRY(writing.commit());
  return id;
}

/// Whether the packs of all moved traces are in the place, by their sizes.
Expected<bool> has_all_packs(Connection& store, ObjectPlace& place) {
  BENCHHUD_ASSIGN(const auto moved, trace::moved_traces(store));
  if (moved.empty()) return true;
  BENCHHUD_ASSIGN(const trace::PackSizes sizes, trace::packs_in_place(place));
  return std::ranges::all_of(
      moved, [&](const MovedTrace& each) { return trace::has_pack(sizes, each.pack); });
}

/// Opens what is to be the store's place, which `before` was. Only a new one is marked: where the
/// old one has lost its mark, something else may have its path.
Expected<std::unique_ptr<ObjectPlace>> claim(Connection& store, std::string_view address,
                                             const std::optional<TracePlace>& before,
                                             const GoOn& go_on) {
  schema::PlaceOptions options;
  options.gives_up = [go_on] { return go_on && !go_on(TraceMoveReport()); };
  options.needs_mark = false;
  BENCHHUD_ASSIGN(auto unmarked, schema::open_place(address, options));
  options.needs_mark = true;
  if (before && before->address == unmarked->address()) {
    options.id = before->id;
    return schema::open_place(address, options);
  }
  if (!before) {
    // A copy of a store that does not say where its packs are.
    BENCHHUD_ASSIGN(const bool has_all, has_all_packs(store, *unmarked));
    if (!has_all) {
      return Error{ErrorCode::kPlaceRefused,
                   fmt::format("{} is not where the store's traces are: it lacks packs of them. Is "
                               "the disk mounted, is the bucket's prefix right?",
                               unmarked->address())};
    }
  }
  BENCHHUD_ASSIGN(options.id, id_of(store));
  BENCHHUD_TRY(schema::mark_place(unmarked->address(), options.id));
  return schema::open_place(unmarked->address(), options);
}

/// Fetches a pack into a file. Errors: kCorrupt, it is lost or damaged; the place's.
Expected<void> fetch_whole(ObjectPlace& place, const trace::PlacedPack& pack,
                           const std::filesystem::path& file) {
  auto fetched = place.fetch(pack.key, file, pack.facts.byte_count);
  if (!fetched && fetched.error().code == ErrorCode::kNotFound) {
    return trace::damaged_place(pack.key, "it is not there");
  }
  BENCHHUD_TRY(fetched);
  return trace::check_pack_bytes(file, pack);
}

/// Reads a pack whole. Errors: as fetch_whole().
Expected<void> check_bytes(Connection& store, ObjectPlace& place, const trace::PlacedPack& pack) {
  if (const auto file = trace::file_in_place(place.address(), pack.key)) {
    return trace::check_pack_bytes(*file, pack);
  }
  BENCHHUD_ASSIGN(const auto temporary, temporary_file(store, "check"));
  return fetch_whole(place, pack, temporary.path());
}

/// The place that a store had before. It is opened where a pack is fetched from it: it may be gone
/// when its packs were brought to the new one by hand.
class OldPlace {
 public:
  explicit OldPlace(TracePlace known) : known_(std::move(known)) {}
  Expected<ObjectPlace*> open() {
    if (!place_) {
      BENCHHUD_ASSIGN(place_, trace::open_trace_place(known_));
    }
    return place_.get();
  }

 private:
  TracePlace known_;
  std::unique_ptr<ObjectPlace> place_;
};

Expected<void> copy_pack(Connection& store, OldPlace& from, ObjectPlace& to,
                         const trace::PlacedPack& pack) {
  BENCHHUD_ASSIGN(const auto object, to.find(pack.key));
  if (object && object->byte_count == pack.facts.byte_count) {
    auto checked = check_bytes(store, to, pack);
    // Another file of that name is written over.
    if (checked || checked.error().code != ErrorCode::kCorrupt) return checked;
  }
  BENCHHUD_ASSIGN(ObjectPlace* const old, from.open());
  BENCHHUD_ASSIGN(const auto temporary, temporary_file(store, "copy"));
  BENCHHUD_TRY(fetch_whole(*old, pack, temporary.path()));
  return to.put(pack.key, temporary.path());
}

Error was_stopped() {
  return {ErrorCode::kBusy,
          "stopped before all packs were copied; the store's place is the old "
          "one, and the same command goes on"};
}

void add_problem(TraceMoveReport* report, TraceId trace, const std::string& words) {
  ++report->failed;
  if (report->problems.size() < kMostProblems) {
    report->problems.push_back(fmt::format("trace {}: {}", schema::to_int(trace), words));
  }
}

/// Copies all packs into `to`, until none has come meanwhile, and makes it the store's place. One
/// that is lost or damaged would be so in any place: it keeps no other from being copied.
Expected<TraceMoveReport> change_place(Connection& store, const TracePlace& before, ObjectPlace& to,
                                       const GoOn& go_on) {
  OldPlace from(before);
  std::set<std::string> seen;
  TraceMoveReport report;
  for (;;) {
    BENCHHUD_ASSIGN(const auto packs, trace::moved_traces(store));
    for (const MovedTrace& each : packs) {
      if (seen.contains(each.pack.key)) continue;
      if (go_on && !go_on(report)) return was_stopped();
      const auto copied = copy_pack(store, from, to, each.pack);
      if (!copied && copied.error().code != ErrorCode::kCorrupt) return copied.error();
      seen.insert(each.pack.key);
      if (!copied) {
        add_problem(&report, each.trace, copied.error().message);
        continue;
      }
      ++report.moved;
      report.bytes += each.pack.facts.byte_count;
    }
    BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
    BENCHHUD_ASSIGN(const auto now, trace::moved_traces(store));
    const bool has_all = std::ranges::all_of(
        now, [&](const MovedTrace& each) { return seen.contains(each.pack.key); });
    if (!has_all) continue;
    BENCHHUD_ASSIGN(const std::string id, trace::place_id(store));
    BENCHHUD_TRY(trace::set_trace_place(store, before, TracePlace{to.address(), id, true}));
    BENCHHUD_TRY(
        schema::note(store, "traces move",
                     fmt::format("from {} to {}: {} packs, {} lost or damaged", before.address,
                                 to.address(), report.moved, report.failed)));
    BENCHHUD_TRY(writing.commit());
    return report;
  }
}

Error place_was_changed(const TraceMoveReport& report, const ObjectPlace& place) {
  return {ErrorCode::kConflict,
          fmt::format("another process has changed the store's place for traces: {} is no longer "
                      "where new ones go. {} were moved there before; `benchhud traces` says where "
                      "they are now",
                      place.address(), schema::count_text(report.moved, "trace"))};
}

Expected<void> note_moves(Connection& store, const TraceMoveReport& report,
                          std::string_view where) {
  if (report.moved == 0) return {};
  BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
  BENCHHUD_TRY(
      schema::note(store, "traces move",
                   fmt::format("{} traces ({} bytes) {}", report.moved, report.bytes, where)));
  return writing.commit();
}

/// Waits until nobody does long work on the store, which is the file that it was. The turn is not
/// kept, since the place may take its time: a trace that another process changes meanwhile is left
/// as it is. Another one is taken to write.
Expected<void> wait_for_turn(Connection& store, const schema::StoreTurns& turns) {
  BENCHHUD_ASSIGN([[maybe_unused]] const auto turn, turns.take(store));
  return {};
}

/// Whether it was outside. Errors: kCorrupt, its pack is; kConflict, it is moved by others as often
/// as it is looked for, or the store has rows where it should have none.
Expected<bool> bring_back(Connection& store, const schema::StoreTurns& turns, TraceId trace) {
  constexpr int kMostRounds = 5;
  for (int i = 0; i < kMostRounds; ++i) {
    // Fetched and checked before the lock is taken.
    BENCHHUD_ASSIGN(const auto open, trace::OpenTrace::open(store, trace));
    BENCHHUD_ASSIGN(const auto turn, turns.take(store));
    BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
    BENCHHUD_ASSIGN(const auto taken, trace::take_back(store, trace, open));
    if (taken == trace::TakenBack::kWasThere) return false;
    if (taken == trace::TakenBack::kIsElsewhere) continue;
    BENCHHUD_TRY(writing.commit());
    return true;
  }
  return Error{ErrorCode::kConflict, "another process moves it as well"};
}

}  // namespace

Expected<PlaceInUse> use_place(Connection& store, std::string_view address, const GoOn& go_on) {
  BENCHHUD_ASSIGN(const auto before, trace::trace_place(store));
  PlaceInUse used;
  BENCHHUD_ASSIGN(used.place, claim(store, address, before, go_on));
  if (before && before->address != used.place->address()) {
    BENCHHUD_ASSIGN(used.copied, change_place(store, *before, *used.place, go_on));
    return used;
  }
  if (before && before->takes_new) return used;
  BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
  BENCHHUD_ASSIGN(const std::string id, trace::place_id(store));
  BENCHHUD_TRY(trace::set_trace_place(store, before, TracePlace{used.place->address(), id, true}));
  BENCHHUD_TRY(schema::note(store, "traces move", "traces go to " + used.place->address()));
  BENCHHUD_TRY(writing.commit());
  return used;
}

Expected<TraceMoveReport> move_traces_out(Connection& store, const schema::StoreTurns& turns,
                                          ObjectPlace& place, const GoOn& go_on) {
  TraceMoveReport report;
  TraceId last{0};
  for (;;) {
    BENCHHUD_ASSIGN(const auto next, trace::next_trace_to_move(store, last));
    if (!next) break;
    if (go_on && !go_on(report)) {
      report.was_stopped = true;
      break;
    }
    last = *next;
    BENCHHUD_TRY(wait_for_turn(store, turns));
    BENCHHUD_ASSIGN(const bool takes_new, trace::takes_new_traces(store, place));
    if (!takes_new) {
      BENCHHUD_TRY(note_moves(store, report, "to " + place.address()));
      return place_was_changed(report, place);
    }
    const auto moved = trace::move_out(store, *next, place, &turns);
    if (!moved && trace::is_of_the_place(moved.error()) && go_on && !go_on(report)) {
      report.was_stopped = true;  // while it was tried again and again
      break;
    }
    if (!moved && moved.error().code != ErrorCode::kCorrupt &&
        moved.error().code != ErrorCode::kTooLarge) {
      BENCHHUD_TRY(note_moves(store, report, "to " + place.address()));
      return moved.error();
    }
    if (!moved) {
      add_problem(&report, *next, moved.error().message);
    } else if (*moved) {
      ++report.moved;
      report.bytes += (*moved)->facts.byte_count;
    }
  }
  BENCHHUD_TRY(note_moves(store, report, "to " + place.address()));
  return report;
}

Expected<TraceMoveReport> bring_traces_back(Connection& store, const schema::StoreTurns& turns,
                                            const GoOn& go_on) {
  TraceMoveReport report;
  BENCHHUD_ASSIGN(const auto place, trace::trace_place(store));
  if (!place) {
    BENCHHUD_ASSIGN(const trace::TraceCounts counts, trace::count_traces(store));
    if (counts.moved == 0) return report;
    return Error{
        ErrorCode::kPlaceRefused,
        fmt::format("{} are outside the store, which does not say where: it is a download. "
                    "Name the place of their packs with `benchhud traces move --to PLACE` "
                    "first",
                    schema::count_text(counts.moved, "trace"))};
  }
  const TracePlace kept{place->address, place->id, false};
  if (place->takes_new) {
    BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
    BENCHHUD_TRY(trace::set_trace_place(store, place, kept));
    BENCHHUD_TRY(schema::note(store, "traces move", "traces stay in the store"));
    BENCHHUD_TRY(writing.commit());
  }
  BENCHHUD_ASSIGN(const auto moved, trace::moved_traces(store));
  for (const MovedTrace& each : moved) {
    if (go_on && !go_on(report)) {
      report.was_stopped = true;
      break;
    }
    BENCHHUD_TRY(wait_for_turn(store, turns));
    const auto taken = bring_back(store, turns, each.trace);
    if (!taken && taken.error().code != ErrorCode::kCorrupt &&
        taken.error().code != ErrorCode::kConflict) {
      BENCHHUD_TRY(note_moves(store, report, "back from " + place->address));
      return taken.error();
    }
    if (!taken) {
      add_problem(&report, each.trace, taken.error().message);
    } else if (*taken) {
      ++report.moved;
      report.bytes += each.pack.facts.byte_count;
    }
  }
  BENCHHUD_TRY(note_moves(store, report, "back from " + place->address));
  BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
  BENCHHUD_ASSIGN(const trace::TraceCounts left, trace::count_traces(store));
  if (left.moved > 0) return report;
  BENCHHUD_TRY(trace::set_trace_place(store, kept, std::nullopt));
  BENCHHUD_TRY(writing.commit());
  return report;
}

Expected<std::int64_t> move_rest_out(Connection& store, const schema::StoreTurns* turns,
                                     std::int64_t most, const std::function<bool()>& go_on) {
  std::int64_t moved = 0;
  BENCHHUD_ASSIGN(const auto known, trace::trace_place(store));
  BENCHHUD_ASSIGN(auto next, trace::next_trace_to_move(store, TraceId{0}));
  if (!known || !known->takes_new || !next) return moved;
  BENCHHUD_ASSIGN(const auto place, trace::open_trace_place(*known));
  for (std::int64_t i = 0; next && i < most && (!go_on || go_on()); ++i) {
    if (turns != nullptr) BENCHHUD_TRY(wait_for_turn(store, *turns));
    const auto done = trace::move_out(store, *next, *place, turns);
    // Of one that is damaged, or too large for the place, the others are told nothing.
    if (!done && done.error().code != ErrorCode::kCorrupt &&
        done.error().code != ErrorCode::kTooLarge) {
      return done.error();
    }
    if (done && *done) ++moved;
    BENCHHUD_ASSIGN(next, trace::next_trace_to_move(store, *next));
  }
  return moved;
}

namespace {

/// Those of `orphans` that are orphans yet, which are given up with that: nobody notes that a trace
/// is in one any more.
Expected<std::vector<schema::PlacedObject>> give_up(Connection& store,
                                                    std::span<const schema::PlacedObject> orphans,
                                                    double now) {
  std::vector<schema::PlacedObject> given_up;
  BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
  for (const schema::PlacedObject& each : orphans) {
    BENCHHUD_ASSIGN(const bool is_used, trace::is_pack_used(store, each.key));
    BENCHHUD_ASSIGN(const auto noted, trace::orphan_pack(store, each.key));
    const bool is_over = noted && noted->given_up_at;
    // Another process may have forgotten it meanwhile, or a trace may have been in it and have gone
    // again meanwhile.
    if (!noted || is_used || (!is_over && now < noted->keep_until)) continue;
    if (!is_over) {
      BENCHHUD_TRY(trace::give_up_pack(store, each.key, now));
    }
    given_up.push_back(each);
  }
  BENCHHUD_TRY(writing.commit());
  return given_up;
}

}  // namespace

Expected<OrphanReport> remove_orphans(Connection& store, ObjectPlace& place, double now,
                                      bool is_rehearsal) {
  OrphanReport report;
  std::unordered_set<std::string> used;
  BENCHHUD_ASSIGN(const auto packs, trace::moved_traces(store));
  for (const MovedTrace& each : packs) used.insert(each.pack.key);
  std::unordered_map<std::string, trace::OrphanPack> noted;
  BENCHHUD_ASSIGN(const auto known, trace::orphan_packs(store));
  for (const trace::OrphanPack& each : known) noted.emplace(each.key, each);
  std::vector<schema::PlacedObject> orphans;
  std::vector<std::string> strangers;
  std::unordered_set<std::string> there;
  BENCHHUD_TRY(
      place.list(trace::kPackPrefix, [&](const schema::PlacedObject& each) -> Expected<void> {
        if (used.contains(each.key)) return {};
        there.insert(each.key);
        const auto found = noted.find(each.key);
        // One that was put since it was noted is in use elsewhere: this store is a copy from
        // before.
        const bool is_known =
            found != noted.end() &&
            each.modified <= found->second.given_up_at.value_or(found->second.noted_at);
        if (is_known && (found->second.given_up_at || now >= found->second.keep_until)) {
          orphans.push_back(each);
        } else {
          ++report.young;
          report.young_bytes += each.byte_count;
          if (!is_known) strangers.push_back(each.key);
        }
        return {};
      }));
  const auto count = [&](const schema::PlacedObject& each) {
    ++report.removed;
    report.bytes += each.byte_count;
  };
  if (is_rehearsal) {
    std::ranges::for_each(orphans, count);
    return report;
  }
  constexpr std::size_t kAtOnce = 100;  // removed before the next ones are given up
  for (std::size_t i = 0; i < orphans.size(); i += kAtOnce) {
    const auto some = std::span(orphans).subspan(i, std::min(kAtOnce, orphans.size() - i));
    BENCHHUD_ASSIGN(const auto given_up, give_up(store, some, now));
    for (const schema::PlacedObject& each : given_up) {
      BENCHHUD_TRY(place.remove(each.key));
      count(each);
    }
  }
  BENCHHUD_ASSIGN(auto writing, Transaction::begin(store, Transaction::Kind::kWrite));
  for (const std::string& key : strangers) BENCHHUD_TRY(trace::note_stranger(store, key, now));
  for (const auto& [key, orphan] : noted) {
    if (orphan.given_up_at || there.contains(key) || now < orphan.keep_until) continue;
    BENCHHUD_TRY(trace::forget_orphan_pack(store, key));
  }
  BENCHHUD_TRY(trace::forget_given_up_packs(store, now - trace::kStrangerAge));
  BENCHHUD_TRY(writing.commit());
  return report;
}

Expected<PlaceReport> examine_place(Connection& store, ObjectPlace& place, bool reads_all) {
  BENCHHUD_ASSIGN(const auto packs, trace::moved_traces(store));
  BENCHHUD_ASSIGN(const trace::PackSizes objects, trace::packs_in_place(place));
  PlaceReport report;
  report.orphans = static_cast<std::int64_t>(objects.size());
  for (const auto& [key, byte_count] : objects) report.orphan_bytes += byte_count;
  for (const MovedTrace& each : packs) {
    const trace::PlacedPack& pack = each.pack;
    ++report.packs;
    report.bytes += pack.facts.byte_count;
    const auto object = objects.find(pack.key);
    std::string problem;
    if (object == objects.end()) {
      problem = "is not there";
    } else {
      --report.orphans;
      report.orphan_bytes -= object->second;
      if (object->second != pack.facts.byte_count) {
        problem = fmt::format("has {} bytes instead of {}", object->second, pack.facts.byte_count);
      }
    }
    if (problem.empty() && !reads_all) continue;
    // The lists of some object stores lag behind their objects, and it may have been moved again
    // since the list was made. What it is, reading it tells.
    const auto checked = check_bytes(store, place, pack);
    if (checked) continue;
    if (checked.error().code != ErrorCode::kCorrupt) return checked.error();
    if (problem.empty()) problem = "has other bytes than were put there";
    // It may have been brought back since the list was made.
    BENCHHUD_ASSIGN(const bool is_used, trace::is_pack_used(store, pack.key));
    if (!is_used) continue;
    ++report.damaged;
    if (report.problems.size() < kMostProblems) {
      report.problems.push_back(
          fmt::format("{} of trace {} {}", pack.key, schema::to_int(each.trace), problem));
    }
  }
  return report;
}

}  // namespace benchhud::service
