#include "mornings/judging.h"

#include <algorithm>
#include <map>
#include <vector>

namespace benchhud::eval {
namespace {

using analysis::AlertScope;
using analysis::AlertStage;
using Subject = std::pair<AlertScope, std::string>;

constexpr std::size_t kNear = 10;  // nights

Subject subject_of(const SeenAlert& alert) { return {alert.scope, alert.subject}; }

std::set<Subject> open_subjects(const Mornings& mornings, std::size_t first, std::size_t last) {
  std::set<Subject> open;
  for (std::size_t n = first; n <= std::min(last, mornings.size() - 1); ++n) {
    for (const SeenAlert& alert : mornings[n]) {
      if (alert.is_open()) open.insert(subject_of(alert));
    }
  }
  return open;
}

// The right alerts of a morning in stages that `accepts` takes.
template <class Accepts>
std::set<std::size_t> right_ids(const FleetShape& shape, const Event& event,
                                const std::vector<SeenAlert>& morning, const Accepts& accepts) {
  std::set<std::size_t> ids;
  for (const SeenAlert& alert : morning) {
    if (accepts(alert.stage) && is_right(shape, event, alert)) ids.insert(alert.id);
  }
  return ids;
}

bool is_confirmed_stage(AlertStage stage) { return stage == AlertStage::kConfirmed; }
bool is_told_stage(AlertStage stage) {
  return stage == AlertStage::kConfirmed || stage == AlertStage::kRecovered;
}

std::optional<std::size_t> confirmed_night(const FleetShape& shape, const Event& event,
                                           const Mornings& mornings) {
  std::set<std::size_t> inherited;
  for (const SeenAlert& alert : mornings[event.first - 1]) {
    if (alert.is_confirmed() && !is_right(shape, event, alert)) inherited.insert(alert.id);
  }
  for (std::size_t n = event.first; n < mornings.size(); ++n) {
    auto told = right_ids(shape, event, mornings[n], is_confirmed_stage);
    std::erase_if(told, [&](std::size_t id) { return inherited.contains(id); });
    if (n + 1 < mornings.size()) {
      const auto next = right_ids(shape, event, mornings[n + 1], is_told_stage);
      std::erase_if(told, [&](std::size_t id) { return !next.contains(id); });
    }
    if (!told.empty()) return n - event.first;
  }
  return std::nullopt;
}

std::size_t subject_changes(std::size_t first, const Mornings& mornings,
                            const Mornings& background) {
  std::map<std::size_t, Subject> last;
  std::size_t changes = 0;
  for (std::size_t n = first; n < mornings.size(); ++n) {
    const auto known = open_subjects(background, n, n);
    for (const SeenAlert& alert : mornings[n]) {
      if (!alert.is_open()) continue;
      const Subject subject = subject_of(alert);
      const auto [before, is_new] = last.try_emplace(alert.id, subject);
      if (!is_new && before->second != subject && !known.contains(subject)) ++changes;
      before->second = subject;
    }
  }
  return changes;
}

}  // namespace

bool is_right(const FleetShape& shape, const Event& event, const SeenAlert& alert) {
  if (alert.scope != event.scope || !(event.is_either_way || alert.is_worse)) return false;
  switch (event.scope) {
    case AlertScope::kMachine:
      return true;
    case AlertScope::kBackend:
      return alert.subject == shape.backends[*event.backend];
    case AlertScope::kModel:
      return alert.subject == model_name(*event.model);
  }
  return false;
}

Verdict judge(const FleetShape& shape, const Scenario& scenario, const Mornings& mornings,
              const Mornings& background) {
  const Event& event = *scenario.event;
  Verdict verdict;
  for (std::size_t n = event.first; n < mornings.size(); ++n) {
    const auto known = open_subjects(background, n - std::min(n, kNear), n + kNear);
    for (const SeenAlert& alert : mornings[n]) {
      const bool is_of_event = is_right(shape, event, alert);
      if (is_of_event && alert.is_open()) {
        verdict.ids.insert(alert.id);
        if (!verdict.seen) verdict.seen = n - event.first;
      }
      const bool is_of_second = scenario.second && is_right(shape, *scenario.second, alert);
      if (alert.is_confirmed() && !is_of_event && !is_of_second &&
          !known.contains(subject_of(alert))) {
        verdict.wrong.emplace(alert.id, alert.subject);
      }
    }
  }
  verdict.confirmed = confirmed_night(shape, event, mornings);
  verdict.is_in_time = verdict.confirmed && *verdict.confirmed <= scenario.in_time;
  verdict.subject_changes = subject_changes(event.first, mornings, background);
  if (event.last && !verdict.ids.empty()) {
    verdict.is_closed = std::ranges::all_of(mornings.back(), [&](const SeenAlert& alert) {
      return !verdict.ids.contains(alert.id) || alert.stage == AlertStage::kRecovered;
    });
  }
  return verdict;
}

std::size_t confirmed_ever(const Mornings& mornings) {
  std::set<std::size_t> ids;
  for (const auto& morning : mornings) {
    for (const SeenAlert& alert : morning) {
      if (alert.is_confirmed()) ids.insert(alert.id);
    }
  }
  return ids.size();
}

}  // namespace benchhud::eval
