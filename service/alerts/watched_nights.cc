#include "service/alerts/watched_nights.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "schema/alerts/watched_nights.h"
#include "schema/base/content_hash.h"
#include "schema/results/machine_label.h"
#include "service/alerts/night_reader.h"

namespace benchhud::service {
namespace {

using analysis::AlertDetector;
using analysis::RunAnnotations;
using schema::Expected;

// What the watch of these nights follows from; equal texts, equal watches.
std::string basis_with(std::string basis, std::span<const schema::Run> nights,
                       std::span<const schema::NightMark> marks) {
  for (const schema::Run& run : nights) {
    const RunAnnotations said = annotations_of(run, marks);
    basis += fmt::format("{} {} {}{}{}\n", to_int(run.id), run.revision, int{said.is_excluded},
                         int{said.is_new_environment}, int{said.is_pinned});
  }
  return schema::content_hash(basis).hex();
}

}  // namespace

RunAnnotations annotations_of(const schema::Run& run, std::span<const schema::NightMark> marks) {
  RunAnnotations said;
  for (const schema::NightMark& mark : schema::marks_of(run, marks)) {
    if (mark.kind == schema::NightMarkKind::kExcluded) said.is_excluded = true;
    if (mark.kind == schema::NightMarkKind::kEnvironment) said.is_new_environment = true;
    if (mark.kind == schema::NightMarkKind::kPinned) said.is_pinned = true;
  }
  return said;
}

std::string watch_basis(const std::string& rules) {
  return fmt::format("method {} rules {}\n", analysis::kDetectorVersion, rules);
}

Expected<analysis::RunObservations> WatchedNights::facts_of(const schema::Run& run,
                                                            schema::NightFacts* kept) {
  if (experiments_.quiet) return read_night(reader_, run, experiments_.catalog);
  BENCHHUD_ASSIGN(const auto bytes, kept->of(run));
  if (bytes) {
    if (auto night = analysis::unpack_night(*bytes)) return *std::move(night);
  }
  BENCHHUD_ASSIGN(auto night, read_night(reader_, run, experiments_.catalog));
  if (!is_reading_) {
    BENCHHUD_TRY(
        schema::put_night_facts(store(), run.id, run.revision, analysis::pack_night(night)));
  }
  return night;
}

analysis::OtherSeries WatchedNights::others_of(schema::RunId run) const {
  if (!experiments_.quiet) return {};
  const auto found = experiments_.quiet->find(run);
  return found == experiments_.quiet->end() ? analysis::OtherSeries() : found->second;
}

// Whether `fleet` is now as it was after the nights that were watched before.
Expected<bool> WatchedNights::go_on(const std::string& accelerator_model,
                                    std::span<const schema::Run> nights,
                                    std::span<const schema::NightMark> marks,
                                    schema::NightFacts* kept, AlertDetector* fleet) {
  if (experiments_.quiet) return false;
  BENCHHUD_ASSIGN(const auto state, schema::watch_state(store(), accelerator_model));
  if (!state || state->night_count < 0) return false;
  const auto count = static_cast<std::size_t>(state->night_count);
  if (count > nights.size()) return false;
  const auto watched = nights.first(count);
  if (state->basis != basis_with(basis_, watched, marks)) return false;
  if (!fleet->load_state(state->bytes) || fleet->nights().size() != count) return false;
  for (const schema::Run& run : watched.last(fleet->kept_nights())) {
    BENCHHUD_ASSIGN(const auto night, facts_of(run, kept));
    fleet->recall(night);
  }
  if (!fleet->finish_recall()) return false;
  replayed_ = count;
  return true;
}

Expected<AlertDetector> WatchedNights::watch(const std::string& accelerator_model,
                                             std::span<const schema::Run> nights,
                                             std::span<const schema::NightMark> marks) {
  replayed_ = 0;
  analysis::FleetRules rules = rules_;
  rules.are_judged_together = !experiments_.quiet;
  std::optional<AlertDetector> fleet(std::in_place, experiments_.catalog, rules);
  schema::NightFacts kept(store(), nights);
  BENCHHUD_ASSIGN(const bool is_replayed, go_on(accelerator_model, nights, marks, &kept, &*fleet));
  if (!is_replayed) fleet.emplace(experiments_.catalog, rules);
  for (std::size_t n = replayed_; n < nights.size(); ++n) {
    if (is_cancelled_ && is_cancelled_()) {
      return schema::Error{schema::ErrorCode::kBusy, "nobody waits for this any more"};
    }
    // What is kept is of the nights before the newest: that one is still being added to, verified
    // and marked.
    if (n + 1 == nights.size() && n > replayed_ && !experiments_.quiet && !is_reading_) {
      schema::WatchState state;
      state.night_count = static_cast<std::int64_t>(n);
      state.basis = basis_with(basis_, nights.first(n), marks);
      state.bytes = fleet->state();
      BENCHHUD_TRY(schema::put_watch_state(store(), accelerator_model, state));
    }
    BENCHHUD_ASSIGN(auto night, facts_of(nights[n], &kept));
    if (const auto machine = nights[n].labels.find(schema::kMachineLabel);
        machine != nights[n].labels.end()) {
      night.machine = machine->second;
    }
    fleet->add(std::move(night), annotations_of(nights[n], marks), others_of(nights[n].id));
  }
  return *std::move(fleet);
}

}  // namespace benchhud::service
