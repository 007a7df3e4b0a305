// One series of times, watched night by night: what changed, since when, and what came of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/alerts/last_values.h"
#include "analysis/changes/change_points.h"
#include "analysis/changes/search_trigger.h"
#include "schema/model/metric.h"

namespace benchhud::analysis {

/// A change as it was seen so far. Nights are numbered by who watches (alert_detector.h).
struct WatchedChange {
  ChangePoint point;  ///< as it was seen last; its places are of the series
  std::size_t onset = 0, earliest = 0, latest = 0;  ///< nights
  std::size_t first_seen = 0;                       ///< night
  double q_value = 1;                               ///< when it was last to be confirmed
  std::optional<std::size_t> confirmed;             ///< night
  std::optional<std::size_t> withdrawn;             ///< night: it is not seen any more
  std::optional<std::size_t> recovered;             ///< night: the level before it is back
  /// It merely leads back from that change to what was before. A change for the worse that undoes
  /// an improvement of kSettledNights ago and more (watched_metric.h) is one of its own.
  std::optional<std::size_t> recovery_of;
  std::size_t missed = 0;  ///< searches in a row that did not find it
  std::size_t begin = 0;   ///< place of the first night that is comparable with its nights
  /// What followed was likelier with it by far (recent_step.h), whether a search finds it or not.
  bool is_asserted = false;
  NightNoise noise;                  ///< of the series, where `is_asserted`
  bool is_confirmed_early = false;   ///< confirmed by that, and by no search
  bool is_over_with_others = false;  ///< see recover()

  /// Whether the nights would confirm it, if they were the only series.
  bool is_candidate() const {
    return !confirmed && !withdrawn && point.state == ChangeState::kConfirmed;
  }
};

/// Nights come in order. Every change is found by find_changes() of the last kWindow nights, which
/// is asked as long as there are few nights, while a change is young, when one that is not
/// confirmed has a twentieth more nights, when the last nights are off the level that is known or
/// it seems to be two (search_trigger.h), and whenever there are twice as many nights, or kRoutine
/// more: not asking it on quiet nights makes a year of nights affordable. The same nights in the
/// same order give the same changes.
class TimingChangeDetector {
 public:
  static constexpr std::size_t kWindow = 100;
  static constexpr std::size_t kRoutine = 100;
  /// Nights that are kept, by their numbers: a search looks back by kWindow, kRoutine nights later
  /// there is another, and a series need not have a value each night.
  static constexpr std::size_t kKept = 256;
  /// Findings of two searches so near each other are the same change.
  static constexpr std::size_t kSameChange = 3;
  /// Nights for which a change is looked at again each night. What was over for so long stays so.
  static constexpr std::size_t kYoung = 10;

  explicit TimingChangeDetector(const ChangeRules& rules,
                                schema::Direction better = schema::Direction::kNeither)
      : rules_(rules), better_(better) {}

  /// Returns whether any change is different from before.
  bool add(const Night& night, std::size_t number);
  /// Forgets the nights that are older than kKept, of which night `number` is the newest.
  void forget_old(std::size_t number);
  /// A night that was added on another day (alert_detector.h): the state keeps its level, as it was
  /// judged last. Oldest first, those that are kept.
  void recall(Night night, std::size_t number);
  /// Returns whether they were as many as the state knows of.
  bool finish_recall();
  /// More is known of a night that was added: its level is another one. Of nights that are kept no
  /// more, and of those that the series has no value of, nothing happens.
  void revise(std::size_t number, double level);
  /// After revise(), where no night is added: what changed now. Returns whether any change is
  /// different from before.
  bool look_again(std::size_t number);
  /// From the next night on something other than what is measured is different: its level is new,
  /// and no change.
  void restart() { begin_ = count(); }

  /// The last `nights` are sure to be on another level than `before`: a change of them is confirmed
  /// on night `number`, the one that a search has found or a new one, if the rules tell it. Its
  /// q-value is no more than that of one among so many series (Bonferroni).
  void assert_step(std::size_t nights, double before, const NightNoise& noise, std::size_t number,
                   std::size_t among);
  /// What the last nights say of whether the level before a change is back.
  struct Back {
    /// How much likelier they are there than half of the way from it: a natural logarithm from 0 to
    /// 7, at which it is over. 0 where nothing can be told.
    double evidence = 0;
    std::size_t nights = 0;  ///< since there is any
    bool is_sure = false;
  };
  Back back_of(const WatchedChange& change) const;
  /// How often the best cut of the nights at both levels of a change would be as sure, if the
  /// series' level wandered by `wander` (wandering_level.h).
  double wandering_p_value(const WatchedChange& change, double wander) const;
  /// How many nights exactly at the level before it would make back_of() sure that it is over. None
  /// where nothing can be told.
  std::optional<std::size_t> nights_to_recover(const WatchedChange& change) const;
  /// What began with this change, and is of the same cause, is over as of night `number`, and this
  /// one as far as its nights can tell: it is over with them until reopen(), which says that it was
  /// not.
  void recover(std::size_t change, std::size_t number);
  void reopen(std::size_t change);
  /// A candidate became sure: on night `number`, with this q-value. Or not yet: no night.
  void decide(std::size_t change, std::optional<std::size_t> number, double q_value);

  std::span<const WatchedChange> changes() const { return changes_; }
  /// The change with its levels and effect as all nights tell them that are at either level by now,
  /// where its last search was before the last night. As it was seen last where it is over, is no
  /// more than a suspect, or its nights are not kept any more. What was tested, p_value among it,
  /// is of the last search.
  ChangePoint measured_now(const WatchedChange& change) const;
  /// The levels of the nights from begin() on that are kept, and the changes they are known to
  /// have, but for suspects; places are of these nights.
  std::pair<std::vector<double>, Changes> current() const;
  /// How many nights there were.
  std::size_t count() const { return first_ + nights_.size(); }
  /// The nights that are kept; their numbers; and the place of the first of them.
  std::span<const Night> nights() const { return nights_; }
  std::span<const std::uint32_t> numbers() const { return numbers_; }
  std::size_t first() const { return first_; }
  /// The place of the first night that is comparable with the last ones.
  std::size_t begin() const { return begin_; }
  /// Of the nights of the last search.
  const NightNoise& noise() const { return search_.noise; }
  const ChangeRules& rules() const { return rules_; }

 private:
  friend struct StateFields;

  void keep(Night night, std::size_t number);
  bool wants_search();
  bool search(std::size_t number);
  bool is_young(std::size_t since) const;
  bool merge(std::size_t first, std::size_t number);
  bool note_recoveries(std::size_t number);
  bool has_open_change() const;
  bool is_loss(const WatchedChange& improvement, const WatchedChange& later) const;
  std::optional<double> worth_of_night(const WatchedChange& change) const;
  WatchedChange* known(const ChangePoint& point, const std::vector<bool>& seen);
  std::size_t number_at(std::size_t place) const { return numbers_[place - first_]; }

  ChangeRules rules_;
  schema::Direction better_;
  LastValues<Night> nights_;  // that are kept
  LastValues<std::uint32_t> numbers_;
  std::size_t first_ = 0;  // the place of the first of them
  std::vector<WatchedChange> changes_;
  Changes search_;
  std::size_t begin_ = 0;         // of the nights that are comparable
  std::size_t searched_ = 0;      // nights at the last search
  SearchTrigger screen_;          // of the last search
  std::vector<float> recalled_;   // levels of the nights that are kept, until they are recalled
  std::size_t revised_from_ = 0;  // place, where `is_revised_`
  bool is_revised_ = false;       // by so much that a search may find something else
};

}  // namespace benchhud::analysis
