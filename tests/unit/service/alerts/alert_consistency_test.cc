// What is said of an alert agrees with itself, after every night: of real nights and of made ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/alerts/watched_metric.h"
#include "analysis/text/quantity_text.h"
#include "ingest/output/output_dir.h"
#include "service/alerts/alert_explanation.h"
#include "service/imports/importer.h"
#include "tests/unit/places.h"
#include "tests/unit/service/alerts/alert_fixture.h"

namespace benchhud::service {
namespace {

using schema::Alert;
using schema::AlertDetails;
using schema::AlertMember;
using schema::DetectedState;

class AlertConsistency : public AlertFixture {
 protected:
  /// Takes in the nights that lie in a folder, one by one, and checks all alerts after each.
  void check_nights_of(const std::filesystem::path& folder) {
    std::vector<std::string> nights;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_directory()) nights.push_back(entry.path());
    }
    std::ranges::sort(nights);
    for (const std::string& night : nights) {
      const auto inputs = ingest::find_inputs({night});
      ASSERT_TRUE(inputs) << inputs.error().message;
      ingest::Inputs results;
      results.results = inputs->results;
      const auto done = import_and_find_alerts(*connection_, results, {});
      ASSERT_TRUE(done) << done.error().message;
      ASSERT_TRUE(done->alerts) << done->alerts.error().message;
      check_all(std::filesystem::path(night).filename());
      if (HasFailure()) return;
    }
  }

  void check_all(const std::string& night) {
    schema::Reader reader(*connection_);
    const auto runs = reader.runs({});
    ASSERT_TRUE(runs);
    times_.clear();
    for (const schema::Run& run : *runs) times_[run.id] = run.started_at;
    for (const Alert& alert : alerts()) {
      const auto details = schema::alert_details(*connection_, alert.id);
      ASSERT_TRUE(details);
      SCOPED_TRACE(night + ": #" + std::to_string(to_int(alert.id)) + " " +
                   std::string(detected_state_name(alert.detected)) + " " + alert.title);
      check_explanation(alert);
      check_runs(alert);
      if (alert.detected == DetectedState::kWithdrawn) continue;
      ++checked_;
      // Of a suspect it may not be known what it did to any series.
      const bool is_of_none = alert.title.ends_with("times disagree more than usual");
      EXPECT_EQ(is_of_none, details->members.empty());
      EXPECT_EQ(is_of_none, !alert.headline);
      if (is_of_none) continue;
      check_members(alert, *details);
      check_state(alert, *details);
      check_headline(alert, *details);
    }
  }

  std::size_t checked_ = 0;

 private:
  static constexpr double kSameCause = 3;  // nights

  double at(const std::optional<schema::RunId>& run, double none) const {
    const auto known = run ? times_.find(*run) : times_.end();
    return known == times_.end() ? none : known->second;
  }

  void check_explanation(const Alert& alert) {
    const std::string& text = alert.explanation;
    EXPECT_TRUE(text.ends_with('.')) << text;
    std::size_t sentences = 1;
    for (std::size_t i = text.find(". "); i != text.npos; i = text.find(". ", i + 1)) ++sentences;
    EXPECT_LE(sentences, 3u) << text;
    for (const std::string bad : {"nan", "inf ", "unknown", "  ", "..", "1844"}) {
      EXPECT_EQ(text.find(bad), text.npos) << text;
    }
  }

  void check_runs(const Alert& alert) {
    const double onset = at(alert.onset_run, 0);
    EXPECT_EQ(onset, alert.onset);
    EXPECT_LT(at(alert.last_good, -1), onset);
    EXPECT_LT(at(alert.last_good, -1), at(alert.first_bad, 0));
    EXPECT_LE(onset, at(alert.first_bad, 0));
    EXPECT_EQ(at(alert.first_seen_run, 0), alert.first_seen);
    EXPECT_EQ(alert.confirmed_at.has_value(), alert.confirmed_run.has_value());
    const double confirmed = at(alert.confirmed_run, alert.first_seen);
    EXPECT_LE(alert.first_seen, confirmed);
    const bool is_over =
        alert.detected == DetectedState::kRecovered || alert.detected == DetectedState::kWithdrawn;
    // Of what is not found any more nobody knows when that began.
    const bool is_lost = alert.explanation == kNotFoundAnyMore;
    EXPECT_EQ(alert.closed_run.has_value() || is_lost, is_over);
    EXPECT_LE(confirmed, at(alert.closed_run, confirmed));
    if (alert.detected == DetectedState::kWithdrawn) return;
    EXPECT_EQ(alert.detected == DetectedState::kSuspect,
              !alert.confirmed_run && alert.detected != DetectedState::kRecovered);
  }

  void check_members(const Alert& alert, const AlertDetails& details) {
    ASSERT_FALSE(details.members.empty());
    const double onset = alert.onset;
    bool is_onset_of_one = false, is_within_one = false, may_have_begun_when_seen = false;
    for (const AlertMember& member : details.members) {
      SCOPED_TRACE(member.experiment.model + " " + member.backend + " " + member.metric);
      const double own = at(member.onset, -1);
      const double earliest = at(member.earliest, -1), latest = at(member.latest, -1);
      EXPECT_LE(earliest, own);
      EXPECT_LE(own, latest);
      is_onset_of_one = is_onset_of_one || own == onset;
      may_have_begun_when_seen = may_have_begun_when_seen || earliest <= alert.first_seen;
      is_within_one = is_within_one || (earliest <= onset && onset <= latest);
      if (own == onset) {
        EXPECT_LT(at(alert.last_good, -1), own);
        EXPECT_LE(own, at(alert.first_bad, 0));
      }
      if (!member.timed || !member.timed->low) continue;
      EXPECT_LE(*member.timed->low, *member.timed->effect);
      EXPECT_LE(*member.timed->effect, *member.timed->high);
    }
    EXPECT_TRUE(is_onset_of_one || is_within_one) << "no member began then";
    // A later night may say that it began after it was first seen, if its interval has that night;
    // and what it was first seen by may have left it, which began about then.
    const bool is_about_then = onset <= alert.first_seen + kSameCause * kDay;
    EXPECT_TRUE(is_about_then || may_have_begun_when_seen)
        << "it was seen " << (onset - alert.first_seen) / kDay << " days before it began";
  }

  void check_state(const Alert& alert, const AlertDetails& details) {
    const auto is_regression = [](const AlertMember& member) {
      return member.direction == schema::ChangeDirection::kRegression &&
             member.metric != "speedup" && member.detected != DetectedState::kSuspect &&
             // What flips is never sure, also when it is over.
             !(member.counted && member.counted->flips >= 3);
    };
    const bool has_regression = std::ranges::any_of(details.members, is_regression);
    bool is_open = false, is_any_confirmed = false;
    for (const AlertMember& member : details.members) {
      const bool is_now = member.detected == DetectedState::kConfirmed;
      is_any_confirmed = is_any_confirmed || is_now;
      is_open = is_open || (is_now && (!has_regression || is_regression(member)));
    }
    if (alert.detected == DetectedState::kConfirmed) {
      EXPECT_TRUE(is_open) << "nothing keeps it open";
    }
    if (alert.detected == DetectedState::kRecovered) {
      EXPECT_FALSE(is_open) << "not all of it has recovered";
    }
    if (alert.detected == DetectedState::kSuspect) {
      EXPECT_FALSE(is_any_confirmed);
    }
  }

  void check_headline(const Alert& alert, const AlertDetails& details) {
    ASSERT_TRUE(alert.headline);
    const schema::AlertHeadline& headline = *alert.headline;
    if (headline.effect) {
      EXPECT_NE(alert.title.find(analysis::share_text(std::abs(*headline.effect))),
                alert.title.npos);
      if (headline.low) {
        EXPECT_LE(*headline.low, *headline.effect);
        EXPECT_LE(*headline.effect, *headline.high);
      }
    } else if (headline.experiment && headline.before) {
      EXPECT_NE(alert.title.find(*headline.before + " → " + *headline.after), alert.title.npos);
    }
    if (!headline.experiment) return;
    const auto own = std::ranges::find_if(details.members, [&](const AlertMember& member) {
      return member.experiment_id == *headline.experiment && member.metric == headline.metric &&
             (!headline.effect || (member.timed && member.timed->effect == headline.effect));
    });
    ASSERT_NE(own, details.members.end()) << "the title's number is no member's";
    if (headline.effect) {
      EXPECT_EQ(own->timed->low, headline.low);
      EXPECT_EQ(own->timed->high, headline.high);
    } else {
      EXPECT_EQ(own->counted->before, headline.before);
      EXPECT_EQ(own->counted->after, headline.after);
    }
    // Changes of one cause are no more than some nights apart; what crept belongs to no night.
    const double apart = std::abs(at(own->onset, 0) - alert.onset) / kDay;
    const bool may_have_begun_then =
        at(own->earliest, 0) <= alert.onset && alert.onset <= at(own->latest, 0);
    const bool is_drift = own->metric == "drift";
    EXPECT_TRUE(apart <= kSameCause + 0.5 || may_have_begun_then || is_drift)
        << apart << " days from its headline's";
  }

  std::map<schema::RunId, double> times_;
};

TEST_F(AlertConsistency, NightsOfSamples) {
  check_nights_of(source_root() / "samples/cpu_nightlies");
  EXPECT_GT(checked_, 0u);
}

TEST_F(AlertConsistency, NightsOfBothRealSetsInOneStore) {
  for (const char* name : {"cpu_nightlies", "cpu_nightlies_2"}) {
    const auto folder = shared_folder() / "data/results" / name;
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
    check_nights_of(folder);
  }
  EXPECT_GT(checked_, 0u);
}

TEST_F(AlertConsistency, NightsOfTheSecondRealSetAlone) {
  const auto folder = shared_folder() / "data/results/cpu_nightlies_2";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  check_nights_of(folder);
  EXPECT_GT(checked_, 0u);
}

// A fleet to which, one after the other, everything happens: a model slower and well again, faster,
// failures together, flips, a slower machine, a busy one, one that comes late.
TEST_F(AlertConsistency, NightsOfAMadeFleet) {
  constexpr int kNights = 60;
  for (int n = 0; n < kNights; ++n) {
    std::map<std::string, double> models;
    for (int m = 0; m < 9; ++m) {
      double seconds = 1 + m;
      if (m == 0 && n >= 12 && n < 20) seconds *= 1.3;
      if (m == 1 && n >= 15) seconds *= 0.7;
      if (m == 1 && n >= 45) seconds /= 0.7;
      if (m == 2 && (n == 10 || n == 13 || n == 16 || n == 19 || n == 22)) seconds = 0;
      if (m >= 5 && n >= 25 && n < 28) seconds = 0;
      if (m == 8 && n >= 25 && n < 40) seconds = 0;
      if (n >= 31 && n < 36) seconds *= 1 + 0.05 * (m + 1);
      if (n >= 42) seconds *= 1.1;
      if (m == 3 && n >= 43) seconds *= 1.25;
      if (m == 4 && n >= 50) seconds *= 1.04;
      models["model" + std::to_string(m)] = seconds;
    }
    if (n != 38) night(n, models);
    if (n == 52) {  // the night that was missing
      night(38, models);
    }
    update();
    check_all("night " + std::to_string(n));
    if (HasFailure()) return;
  }
  EXPECT_GT(checked_, 100u);
}

// Series of two backends to which events of random sizes, lengths and reach happen.
class RandomFleets : public AlertConsistency, public testing::WithParamInterface<int> {};

TEST_P(RandomFleets, AgreeWithThemselves) {
  constexpr int kNights = 45, kModels = 7, kEvents = 9;
  std::mt19937_64 random(GetParam());
  const auto below = [&](int count) { return static_cast<int>(random() % count); };
  struct Event {
    int model, backend, begin, end;  // -1: all
    double factor;                   // 0: fails
  };
  std::vector<Event> events;
  for (int e = 0; e < kEvents; ++e) {
    const int begin = 6 + below(kNights - 8);
    const double size = 0.03 + 0.04 * below(9);
    events.push_back({below(3) == 0 ? -1 : below(kModels), below(2) == 0 ? -1 : below(2), begin,
                      begin + 1 + below(15),
                      below(5) == 0   ? 0
                      : below(3) == 0 ? 1 - size
                                      : 1 + size});
  }
  for (int n = 0; n < kNights; ++n) {
    std::vector<server::MadeLine> lines;
    for (int m = 0; m < kModels; ++m) {
      for (int b = 0; b < 2; ++b) {
        double seconds = 1 + m;
        for (const Event& event : events) {
          const bool is_hit = (event.model < 0 || event.model == m) &&
                              (event.backend < 0 || event.backend == b) && event.begin <= n &&
                              n < event.end;
          if (is_hit) seconds *= event.factor;
        }
        if (below(20) == 0) continue;  // a result is missing
        std::normal_distribution<double> normal(0, 0.01);
        server::MadeLine line;
        line.model = "model" + std::to_string(m);
        line.dynamo = b == 0 ? "inductor" : "";
        line.timestamp = kFirst + kDay * n;
        line.times = {};
        line.error = seconds > 0 ? "" : "ValueError: broken";
        const double level = seconds * std::exp(normal(random));
        for (int i = 0; i < 6 && seconds > 0; ++i) {
          line.times.push_back(level * (i == 0 ? 3 : 1) * std::exp(0.3 * normal(random)));
        }
        lines.push_back(line);
      }
    }
    ingest(lines);
    update();
    check_all("night " + std::to_string(n));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFleets, testing::Range(0, 12));

}  // namespace
}  // namespace benchhud::service
