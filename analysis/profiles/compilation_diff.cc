#include "analysis/profiles/compilation_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "analysis/profiles/comparable_text.h"
#include "analysis/text/quantity_text.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::analysis {

using schema::Compilation;
using schema::Expected;
using schema::StoredOutput;
using ChangeKind = CompilationChange::Kind;

namespace {

constexpr std::size_t kLongestReasonInSentence = 160;
constexpr std::size_t kMostNamedInSentence = 2;

nlohmann::json list_of(const std::string& text) {
  auto list = nlohmann::json::parse(text, nullptr, false);
  return list.is_array() ? list : nlohmann::json::array();
}

std::vector<std::string> reasons_of(const std::string& text) {
  std::vector<std::string> reasons;
  for (const auto& reason : list_of(text)) {
    if (reason.is_string()) reasons.push_back(reason.get<std::string>());
  }
  return reasons;
}

std::string member_text(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Which reasons a compilation has of a kind. One without a reason that is nevertheless of the kind
// has "".
std::vector<std::string> reasons_of(const Compilation& one, ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kFailure:
      if (!one.fail_type) return {};
      return {one.fail_reason ? *one.fail_type + ": " + *one.fail_reason : *one.fail_type};
    case ChangeKind::kGraphBreak:
      return reasons_of(one.graph_breaks);
    case ChangeKind::kRestart:
      return reasons_of(one.restarts);
    case ChangeKind::kRecompilation: {
      auto reasons = reasons_of(one.recompiles);
      if (reasons.empty() && is_recompilation(one)) reasons.emplace_back();
      return reasons;
    }
    default:
      return {};
  }
}

// What compilations of a frame have under one reason, on both sides.
struct Reason {
  std::string text;  // as a log has it, of the later one if it has it
  const LoggedCompilation* before = nullptr;
  const LoggedCompilation* after = nullptr;
  std::int64_t before_count = 0, after_count = 0;
};

struct PhaseTime {
  std::string name;
  bool is_event = false, is_backward = false;
  double seconds = 0;
};

std::vector<PhaseTime> phases_of(const Compilation& one) {
  std::vector<PhaseTime> phases;
  for (const auto& phase : list_of(one.phases)) {
    const auto seconds = phase.find("seconds");
    if (seconds == phase.end() || !seconds->is_number()) continue;
    phases.push_back({member_text(phase, "name"), member_text(phase, "source") == "events",
                      phase.value("backward", false), seconds->get<double>()});
  }
  return phases;
}

std::map<std::string, std::string> caches_of(const Compilation& one) {
  std::map<std::string, std::set<std::string>> outcomes;
  for (const auto& use : list_of(one.caches)) {
    outcomes[member_text(use, "cache")].insert(member_text(use, "outcome"));
  }
  std::map<std::string, std::string> caches;
  for (const auto& [cache, all] : outcomes)
    caches[cache] = fmt::format("{}", fmt::join(all, " and "));
  return caches;
}

bool is_code(std::string_view kind) { return kind == "inductor_output_code"; }
bool is_graph(std::string_view kind) { return kind.ends_with("_graph"); }

// What the last attempt put out, by kind: earlier ones gave nothing that runs.
std::map<std::string, std::vector<const StoredOutput*>> outputs_of(const LoggedCompilation& one) {
  std::map<std::string, std::vector<const StoredOutput*>> outputs;
  for (const StoredOutput& stored : one.outputs) {
    const auto& output = stored.output;
    if (output.attempt != one.stored.compilation.attempt) continue;
    if (is_code(output.kind) || is_graph(output.kind)) outputs[output.kind].push_back(&stored);
  }
  return outputs;
}

bool has_events(const std::vector<PhaseTime>& phases, bool of_backward) {
  return std::any_of(phases.begin(), phases.end(), [&](const PhaseTime& phase) {
    return phase.is_event && phase.is_backward == of_backward;
  });
}

std::string phase_text(const std::string& name, bool is_backward) {
  return is_backward ? name + ", backward graph" : name;
}

bool is_slower_or_faster(double before, double after) {
  const double difference = std::abs(after - before);
  return difference >= kSlowerSeconds && difference >= kSlowerShare * before;
}

using OutputPair = std::pair<const StoredOutput*, const StoredOutput*>;

/// Compares two logs and gathers what differs.
class Comparison {
 public:
  Comparison(const CompilationLog& before, const CompilationLog& after, const ReadText& read_text,
             std::int64_t most_text)
      : before_(before), after_(after), read_text_(read_text), text_left_(most_text) {}

  Expected<CompilationDiff> compare() {
    diff_.before = count_compilations(before_);
    diff_.after = count_compilations(after_);
    has_reasons_of_breaks_ = diff_.before.tells_breaks() && diff_.after.tells_breaks();
    const auto was = frames_of(before_.compilations);
    const auto is = frames_of(after_.compilations);
    for (const FramePair& pair : pair_frames(was, is)) BENCHHUD_TRY(compare_frame(pair));
    std::stable_sort(diff_.changes.begin(), diff_.changes.end(),
                     [](const auto& a, const auto& b) { return a.kind < b.kind; });
    say_unknown();
    return std::move(diff_);
  }

 private:
  Expected<void> compare_frame(const FramePair& pair) {
    for (const ChangeKind kind : {ChangeKind::kFailure, ChangeKind::kGraphBreak,
                                  ChangeKind::kRecompilation, ChangeKind::kRestart}) {
      if (kind != ChangeKind::kGraphBreak || has_reasons_of_breaks_) compare_reasons(pair, kind);
    }
    if (pair.before == nullptr || pair.after == nullptr) {
      add_frame(pair);
      return {};
    }
    const auto& was = pair.before->compilations;
    const auto& is = pair.after->compilations;
    std::map<std::pair<std::string, bool>, std::pair<double, double>> times;
    std::vector<std::pair<std::string, bool>> order;
    for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
      BENCHHUD_TRY(compare_outputs(pair, *was[i], *is[i]));
      compare_caches(pair, *was[i], *is[i]);
      add_times(was[i]->stored.compilation, is[i]->stored.compilation, &times, &order);
    }
    for (const auto& phase : order) {
      const auto& [before, after] = times[phase];
      if (!is_slower_or_faster(before, after)) continue;
      CompilationChange& change = add(pair, ChangeKind::kTime, *was.front(), *is.front());
      change.what = phase_text(phase.first, phase.second);
      change.before = before;
      change.after = after;
    }
    return {};
  }

  CompilationChange& add(const FramePair& pair, ChangeKind kind, const LoggedCompilation* before,
                         const LoggedCompilation* after) {
    CompilationChange& change = diff_.changes.emplace_back();
    change.kind = kind;
    const LoggedFrame& frame = pair.after != nullptr ? *pair.after : *pair.before;
    const Compilation& named = frame.compilations.front()->stored.compilation;
    change.frame_name = named.frame_name;
    change.frame_file = named.frame_file;
    change.frame_line = named.frame_line;
    if (before != nullptr) {
      change.compile_id_before = before->stored.compilation.compile_id;
      change.ordinal_before = before->stored.ordinal;
    }
    if (after != nullptr) {
      change.compile_id_after = after->stored.compilation.compile_id;
      change.ordinal_after = after->stored.ordinal;
    }
    return change;
  }
  CompilationChange& add(const FramePair& pair, ChangeKind kind, const LoggedCompilation& before,
                         const LoggedCompilation& after) {
    return add(pair, kind, &before, &after);
  }

  void compare_reasons(const FramePair& pair, ChangeKind kind) {
    std::map<std::string, std::size_t> places;
    std::vector<Reason> reasons;
    const auto place_of_reason = [&](const std::string& text) {
      const auto [place, is_new] = places.try_emplace(comparable_reason(text), reasons.size());
      if (is_new) reasons.push_back({text, nullptr, nullptr, 0, 0});
      return place->second;
    };
    // Of why a frame is compiled again Dynamo says a reason for each version that did not fit, so
    // that a compilation often has the same one many times.
    const auto count = [&](const LoggedFrame* frame, const LoggedCompilation* Reason::* first,
                           std::int64_t Reason::* all) {
      if (frame == nullptr) return;
      for (const LoggedCompilation* one : frame->compilations) {
        std::set<std::size_t> counted;
        for (const std::string& text : reasons_of(one->stored.compilation, kind)) {
          const std::size_t place = place_of_reason(text);
          if (kind == ChangeKind::kRecompilation && !counted.insert(place).second) continue;
          Reason& reason = reasons[place];
          if ((reason.*all)++ == 0) reason.*first = one;
        }
      }
    };
    // The later log first: reasons are said as it has them.
    count(pair.after, &Reason::after, &Reason::after_count);
    count(pair.before, &Reason::before, &Reason::before_count);
    bool is_other = false;
    for (const Reason& reason : reasons) {
      if (reason.before_count == reason.after_count) continue;
      add_reason(pair, kind, reason);
      is_other = true;
    }
    if (kind == ChangeKind::kRecompilation && !is_other) compare_recompilations(pair);
  }

  // The same reasons may come of another number of recompilations: one may have several.
  void compare_recompilations(const FramePair& pair) {
    Reason none;
    const auto count = [](const LoggedFrame* frame, const LoggedCompilation** first) {
      std::int64_t recompilations = 0;
      if (frame == nullptr) return recompilations;
      for (const LoggedCompilation* one : frame->compilations) {
        if (is_recompilation(one->stored.compilation) && recompilations++ == 0) *first = one;
      }
      return recompilations;
    };
    none.before_count = count(pair.before, &none.before);
    none.after_count = count(pair.after, &none.after);
    if (none.before_count != none.after_count) add_reason(pair, ChangeKind::kRecompilation, none);
  }

  void add_reason(const FramePair& pair, ChangeKind kind, const Reason& reason) {
    CompilationChange& change = add(pair, kind, reason.before, reason.after);
    change.what = reason.text;
    change.before = static_cast<double>(reason.before_count);
    change.after = static_cast<double>(reason.after_count);
    if (reason.before_count == 0) change.change = ProfileChange::Kind::kAppeared;
    if (reason.after_count == 0) change.change = ProfileChange::Kind::kGone;
  }

  void add_frame(const FramePair& pair) {
    const bool is_new = pair.before == nullptr;
    const LoggedFrame& frame = is_new ? *pair.after : *pair.before;
    const LoggedCompilation* first = frame.compilations.front();
    const bool is_break = frame.is_resumed && !has_reasons_of_breaks_;
    CompilationChange& change = add(pair, is_break ? ChangeKind::kGraphBreak : ChangeKind::kFrame,
                                    is_new ? nullptr : first, is_new ? first : nullptr);
    change.change = is_new ? ProfileChange::Kind::kAppeared : ProfileChange::Kind::kGone;
    if (is_break) {
      change.before = is_new ? 0 : 1;
      change.after = is_new ? 1 : 0;
      return;
    }
    std::optional<double> seconds;
    for (const LoggedCompilation* one : frame.compilations) {
      const auto& its = one->stored.compilation.seconds;
      if (its) seconds = seconds.value_or(0) + *its;
    }
    (is_new ? change.after : change.before) = seconds;
  }

  Expected<void> compare_outputs(const FramePair& pair, const LoggedCompilation& before,
                                 const LoggedCompilation& after) {
    const auto was = outputs_of(before);
    const auto is = outputs_of(after);
    for (const bool of_code : {false, true}) {
      std::vector<std::string> kinds;
      std::optional<OutputPair> first;
      for (const auto& [kind, earlier] : was) {
        if (is_code(kind) != of_code) continue;
        const auto later = is.find(kind);
        if (later == is.end()) {
          ++one_sided_outputs_;
          continue;
        }
        BENCHHUD_ASSIGN(const auto differs, differing(earlier, later->second));
        if (!differs) continue;
        kinds.push_back(kind);
        if (!first) first = *differs;
      }
      for (const auto& [kind, later] : is) {
        if (is_code(kind) == of_code && !was.contains(kind)) ++one_sided_outputs_;
      }
      if (kinds.empty()) continue;
      CompilationChange& change =
          add(pair, of_code ? ChangeKind::kCode : ChangeKind::kGraph, before, after);
      change.what = fmt::format("{}", fmt::join(kinds, ", "));
      change.output_before = place_of(*first->first);
      change.output_after = place_of(*first->second);
      if (of_code) continue;
      change.before = operations_of(before);
      change.after = operations_of(after);
    }
    return {};
  }

  static OutputPlace place_of(const StoredOutput& stored) {
    return {stored.ordinal, stored.output.byte_count};
  }

  static std::optional<double> operations_of(const LoggedCompilation& one) {
    const auto& count = one.stored.compilation.op_count;
    return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
  }

  using Outputs = std::vector<const StoredOutput*>;

  // The first pair of outputs of a kind that differs.
  Expected<std::optional<OutputPair>> differing(const Outputs& before, const Outputs& after) {
    const std::size_t both = std::min(before.size(), after.size());
    for (std::size_t i = 0; i < both; ++i) {
      BENCHHUD_ASSIGN(const bool is_other, is_other_text(before[i]->output, after[i]->output));
      if (is_other) return std::optional(OutputPair(before[i], after[i]));
    }
    if (before.size() == after.size()) {
      return std::optional<OutputPair>();
    }
    return std::optional(OutputPair(before.back(), after.back()));
  }

  Expected<bool> is_other_text(const schema::CompilationOutput& before,
                               const schema::CompilationOutput& after) {
    if (before.text && before.text == after.text) return false;
    const std::int64_t bytes = before.byte_count + after.byte_count;
    if (!before.text || !after.text || bytes > text_left_) {
      ++unread_outputs_;
      return false;
    }
    text_left_ -= bytes;
    BENCHHUD_ASSIGN(const std::string was, read_text_(*before.text));
    BENCHHUD_ASSIGN(const std::string is, read_text_(*after.text));
    return was != is && comparable_code(was) != comparable_code(is);
  }

  void compare_caches(const FramePair& pair, const LoggedCompilation& before,
                      const LoggedCompilation& after) {
    const auto was = caches_of(before.stored.compilation);
    const auto is = caches_of(after.stored.compilation);
    // A cache that one PyTorch has and the other has not says nothing of what happened.
    for (const auto& [cache, outcome] : is) {
      const auto earlier = was.find(cache);
      if (earlier == was.end() || earlier->second == outcome) continue;
      add(pair, ChangeKind::kCache, before, after).what =
          fmt::format("{}: {} → {}", cache, earlier->second, outcome);
    }
  }

  static void add_times(const Compilation& before, const Compilation& after,
                        std::map<std::pair<std::string, bool>, std::pair<double, double>>* times,
                        std::vector<std::pair<std::string, bool>>* order) {
    const auto was = phases_of(before), is = phases_of(after);
    for (const bool of_backward : {false, true}) {
      const bool by_events = has_events(was, of_backward) && has_events(is, of_backward);
      for (const PhaseTime& phase : is) {
        if (phase.is_event != by_events || phase.is_backward != of_backward) continue;
        const auto earlier = std::find_if(was.begin(), was.end(), [&](const PhaseTime& one) {
          return one.name == phase.name && one.is_event == by_events &&
                 one.is_backward == of_backward;
        });
        if (earlier == was.end()) continue;
        const auto [sum, is_new] = times->try_emplace({phase.name, of_backward});
        if (is_new) order->push_back(sum->first);
        sum->second.first += earlier->seconds;
        sum->second.second += phase.seconds;
      }
    }
  }

  void say_unknown() {
    const auto say_damage = [&](const CompilationLog& log, std::string_view which) {
      if (log.damaged_payloads > 0) {
        diff_.unknown.push_back(fmt::format("{} of the {} log could not be read.",
                                            count_text(log.damaged_payloads, "payload"), which));
      }
      if (log.unreadable_lines > 0) {
        diff_.unknown.push_back(fmt::format("{} of the {} log could not be read.",
                                            count_text(log.unreadable_lines, "line"), which));
      }
      if (log.omitted > 0) {
        diff_.unknown.push_back(
            fmt::format("Of the {} log {} compilations and texts are not kept: it has too many.",
                        which, log.omitted));
      }
    };
    say_damage(before_, "earlier");
    say_damage(after_, "later");
    if (!has_reasons_of_breaks_) {
      diff_.unknown.emplace_back(
          "A log gives no reasons of its graph breaks (PyTorch writes them since 2.6): they are "
          "compared by the frames that go on behind them.");
    }
    if (unread_outputs_ > 0) {
      diff_.unknown.push_back(
          fmt::format("{} not compared: too long to be kept, or to be read for one answer.",
                      count_text(unread_outputs_, "pair") + " of graphs or code"));
    }
    if (one_sided_outputs_ > 0) {
      diff_.unknown.push_back(
          fmt::format("Of compilations that both logs have, {} {} in only one: not compared.",
                      count_text(one_sided_outputs_, "kind") + " of graph or code",
                      one_sided_outputs_ == 1 ? "is" : "are"));
    }
  }

  const CompilationLog& before_;
  const CompilationLog& after_;
  const ReadText& read_text_;
  std::int64_t text_left_;
  bool has_reasons_of_breaks_ = true;
  std::int64_t unread_outputs_ = 0, one_sided_outputs_ = 0;
  CompilationDiff diff_;
};

std::string_view kind_words(ChangeKind kind) {
  if (kind == ChangeKind::kGraphBreak) return "graph break";
  if (kind == ChangeKind::kCode) return "generated code";
  return compilation_change_name(kind);
}

// The weightiest line of a reason of several: PyTorch's have the place first, then "Reason: …".
std::string short_reason(const std::string& reason) {
  constexpr std::string_view kReason = "Reason: ";
  std::string_view text = reason;
  if (const std::size_t at = text.find(kReason); at != text.npos) {
    text.remove_prefix(at + kReason.size());
  }
  text = text.substr(0, text.find('\n'));
  return schema::beginning_of(text, kLongestReasonInSentence);
}

// ", 36 → 60 operations"; "" where they are as many, or a log does not say it.
std::string operations_text(const CompilationChange& change) {
  if (!change.before || !change.after || *change.before == *change.after) return "";
  return fmt::format(", {:.0f} → {:.0f} operations", *change.before, *change.after);
}

// How many more a change says there are; fewer are negative.
double difference_of(const CompilationChange& change) {
  if (change.kind == ChangeKind::kFrame) {
    return change.change == ProfileChange::Kind::kAppeared ? 1 : -1;
  }
  return change.after.value_or(0) - change.before.value_or(0);
}

// The first changes of a kind that go one way, by name.
struct NamedChanges {
  double count = 0;  // of all that go this way
  std::string text;  // "in forward (model.py:38): call to print, in loss (model.py:60), and others"
};

NamedChanges name_changes(const std::vector<CompilationChange>& changes, ChangeKind kind,
                          bool is_more) {
  NamedChanges found;
  std::vector<std::string> named;
  bool are_others = false;
  for (const CompilationChange& change : changes) {
    if (change.kind != kind) continue;
    const double difference = difference_of(change);
    if ((difference > 0) != is_more) continue;
    found.count += std::abs(difference);
    if (named.size() == kMostNamedInSentence) {
      are_others = true;
      continue;
    }
    const std::string reason = short_reason(change.what);
    named.push_back((kind == ChangeKind::kFrame ? "" : "in ") + frame_text(change) +
                    (reason.empty() ? "" : ": " + reason));
  }
  found.text = fmt::format("{}{}", fmt::join(named, ", "), are_others ? ", and others" : "");
  return found;
}

// "2 graph breaks more", with the first of them.
void say_kind(const std::vector<CompilationChange>& changes, ChangeKind kind, bool is_more,
              std::vector<std::string>* parts) {
  const NamedChanges found = name_changes(changes, kind, is_more);
  if (found.count == 0) return;
  parts->push_back(fmt::format(
      "{} {}{} {}", count_text(static_cast<std::int64_t>(found.count), kind_words(kind)),
      is_more ? "more" : "fewer", kind == ChangeKind::kFrame ? ":" : "", found.text));
}

// "1 recompilation more in forward (model.py:38): size mismatch", or the reasons that are new or
// gone where there are as many: a recompilation may have several.
void say_recompilations(const CompilationDiff& diff, std::vector<std::string>* parts) {
  const NamedChanges more = name_changes(diff.changes, ChangeKind::kRecompilation, true);
  const NamedChanges fewer = name_changes(diff.changes, ChangeKind::kRecompilation, false);
  const std::int64_t difference = diff.after.recompilations - diff.before.recompilations;
  if (difference != 0) {
    const std::string& named = difference > 0 ? more.text : fewer.text;
    parts->push_back(fmt::format("{} {}{}{}", count_text(std::abs(difference), "recompilation"),
                                 difference > 0 ? "more" : "fewer", named.empty() ? "" : " ",
                                 named));
  } else if (more.count > 0) {
    parts->push_back("recompilation for another reason " + more.text);
  } else if (fewer.count > 0) {
    parts->push_back("recompilation for fewer reasons, without that " + fewer.text);
  }
}

// "cache fx_graph: hit → miss in forward (model.py:38), and others".
void say_caches(const std::vector<CompilationChange>& changes, std::vector<std::string>* parts) {
  std::vector<std::pair<const CompilationChange*, std::size_t>> outcomes;
  for (const CompilationChange& change : changes) {
    if (change.kind != ChangeKind::kCache) continue;
    const auto same = std::find_if(outcomes.begin(), outcomes.end(), [&](const auto& known) {
      return known.first->what == change.what;
    });
    if (same == outcomes.end()) {
      outcomes.emplace_back(&change, 1);
    } else {
      ++same->second;
    }
  }
  for (const auto& [first, count] : outcomes) {
    parts->push_back(fmt::format("cache {} in {}{}", first->what, frame_text(*first),
                                 count > 1 ? ", and others" : ""));
  }
}

// "other graph of forward (model.py:38), 36 → 60 operations".
void say_outputs(const std::vector<CompilationChange>& changes, ChangeKind kind,
                 std::vector<std::string>* parts) {
  std::vector<std::string> frames;
  const CompilationChange* first = nullptr;
  for (const CompilationChange& change : changes) {
    if (change.kind != kind) continue;
    if (first == nullptr) first = &change;
    std::string frame = frame_text(change);
    if (std::find(frames.begin(), frames.end(), frame) == frames.end()) {
      frames.push_back(std::move(frame));
    }
  }
  if (frames.empty()) return;
  parts->push_back(frames.size() == 1
                       ? fmt::format("other {} of {}{}", kind_words(kind), frames.front(),
                                     operations_text(*first))
                       : fmt::format("other {} of {}, among them {}{}", kind_words(kind),
                                     count_text(frames.size(), "frame"), frames.front(),
                                     operations_text(*first)));
}

}  // namespace

std::string_view compilation_change_name(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kFailure:
      return "failure";
    case ChangeKind::kGraphBreak:
      return "graph_break";
    case ChangeKind::kRecompilation:
      return "recompilation";
    case ChangeKind::kFrame:
      return "frame";
    case ChangeKind::kGraph:
      return "graph";
    case ChangeKind::kCode:
      return "code";
    case ChangeKind::kCache:
      return "cache";
    case ChangeKind::kRestart:
      return "restart";
    case ChangeKind::kTime:
      return "time";
  }
  return "";
}

CompilationCounts count_compilations(const CompilationLog& log) {
  CompilationCounts counts;
  counts.compilations = static_cast<std::int64_t>(log.compilations.size());
  for (const LoggedFrame& frame : frames_of(log.compilations)) {
    ++counts.frames;
    counts.resumed_frames += frame.is_resumed ? 1 : 0;
  }
  for (const LoggedCompilation& logged : log.compilations) {
    const Compilation& one = logged.stored.compilation;
    counts.recompilations += is_recompilation(one) ? 1 : 0;
    counts.restarts += one.attempt;
    counts.failures += one.fail_type ? 1 : 0;
    counts.graph_breaks += static_cast<std::int64_t>(reasons_of(one.graph_breaks).size());
    if (one.seconds) {
      counts.seconds = counts.seconds.value_or(0) + *one.seconds;
    } else {
      ++counts.compilations_untimed;
    }
  }
  return counts;
}

std::vector<ProfileSection> profile_sections(const CompilationLog& log) {
  const CompilationCounts counts = count_compilations(log);
  ProfileSection numbers{"counts", ProfileUnit::kCount, {}, {}, true};  // of unlike things
  const auto add = [&](const char* name, std::int64_t count) {
    numbers.items.push_back({name, static_cast<double>(count), 0});
  };
  add("compilations", counts.compilations);
  add("frames", counts.frames);
  add("recompilations", counts.recompilations);
  add("restarts", counts.restarts);
  add("failures", counts.failures);
  const char* const breaks = "graph breaks with a reason";
  if (counts.tells_breaks()) {
    add(breaks, counts.graph_breaks);
  } else {
    numbers.unknown.emplace_back(breaks);
  }
  add("frames resumed", counts.resumed_frames);
  constexpr double kNs = 1e9;
  ProfileSection times{"time by phase", ProfileUnit::kNs, {}, {}, true};
  if (counts.seconds && counts.compilations_untimed == 0) times.total = *counts.seconds * kNs;
  for (const LoggedCompilation& logged : log.compilations) {
    const auto phases = phases_of(logged.stored.compilation);
    for (const PhaseTime& phase : phases) {
      if (phase.is_event != has_events(phases, phase.is_backward)) continue;
      times.items.push_back({phase_text(phase.name, phase.is_backward), phase.seconds * kNs, 0});
    }
  }
  return {std::move(numbers), std::move(times)};
}

std::vector<std::string> profile_problems(const CompilationLog& log) {
  const std::int64_t untimed = count_compilations(log).compilations_untimed;
  if (untimed == 0) return {};
  return {fmt::format("the log does not say the time of {}: there is no total",
                      count_text(untimed, "compilation"))};
}

Expected<CompilationDiff> compare_compilations(const CompilationLog& before,
                                               const CompilationLog& after,
                                               const ReadText& read_text, std::int64_t most_text) {
  return Comparison(before, after, read_text, most_text).compare();
}

std::string frame_text(const CompilationChange& change) {
  const std::string& id =
      change.compile_id_after.empty() ? change.compile_id_before : change.compile_id_after;
  if (!change.frame_name) return fmt::format("a frame that the log does not name ({})", id);
  const auto resumed = resumed_function(*change.frame_name);
  const std::string name =
      resumed ? fmt::format("{}, resumed at line {}", resumed->function, resumed->line)
              : *change.frame_name;
  if (!change.frame_file) return name;
  const std::string_view path = *change.frame_file;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return change.frame_line && !resumed ? fmt::format("{} ({}:{})", name, file, *change.frame_line)
                                       : fmt::format("{} ({})", name, file);
}

std::string change_text(const CompilationChange& change) {
  const std::string frame = frame_text(change);
  switch (change.kind) {
    case ChangeKind::kGraph:
    case ChangeKind::kCode:
      return fmt::format("other {} in {}: {}{}", kind_words(change.kind), frame, change.what,
                         operations_text(change));
    case ChangeKind::kCache:
      return fmt::format("cache in {}: {}", frame, change.what);
    case ChangeKind::kTime: {
      const bool is_slower = change.after.value_or(0) > change.before.value_or(0);
      return fmt::format("{} {} in {}: {} → {}", change.what, is_slower ? "slower" : "faster",
                         frame, duration_text(change.before.value_or(0)),
                         duration_text(change.after.value_or(0)));
    }
    case ChangeKind::kFrame: {
      const bool is_new = change.change == ProfileChange::Kind::kAppeared;
      const auto& seconds = is_new ? change.after : change.before;
      return fmt::format("frame is {}: {}{}", is_new ? "new" : "gone", frame,
                         seconds ? ", " + duration_text(*seconds) : "");
    }
    default:
      break;
  }
  const std::string how =
      change.change == ProfileChange::Kind::kAppeared ? "is new"
      : change.change == ProfileChange::Kind::kGone
          ? "is gone"
          : fmt::format("{:.0f} → {:.0f}", change.before.value_or(0), change.after.value_or(0));
  return fmt::format("{} {} in {}{}{}", kind_words(change.kind), how, frame,
                     change.what.empty() ? "" : ": ", short_reason(change.what));
}

std::vector<std::string> compilation_parts(const CompilationDiff& diff) {
  std::vector<std::string> parts;
  const auto say_more_and_fewer = [&](ChangeKind kind) {
    say_kind(diff.changes, kind, true, &parts);
    say_kind(diff.changes, kind, false, &parts);
  };
  say_more_and_fewer(ChangeKind::kFailure);
  say_more_and_fewer(ChangeKind::kGraphBreak);
  say_recompilations(diff, &parts);
  say_more_and_fewer(ChangeKind::kFrame);
  say_outputs(diff.changes, ChangeKind::kGraph, &parts);
  say_outputs(diff.changes, ChangeKind::kCode, &parts);
  say_caches(diff.changes, &parts);
  // A graph break restarts its frame.
  const bool has_breaks =
      std::any_of(diff.changes.begin(), diff.changes.end(),
                  [](const auto& one) { return one.kind == ChangeKind::kGraphBreak; });
  if (!has_breaks) say_more_and_fewer(ChangeKind::kRestart);
  const auto slowest = [&] {
    const CompilationChange* most = nullptr;
    const auto by = [](const CompilationChange& one) {
      return std::abs(one.after.value_or(0) - one.before.value_or(0));
    };
    for (const CompilationChange& change : diff.changes) {
      if (change.kind == ChangeKind::kTime && (most == nullptr || by(change) > by(*most)))
        most = &change;
    }
    return most;
  }();
  const auto& was = diff.before.seconds;
  const auto& is = diff.after.seconds;
  const bool are_whole = diff.before.compilations_untimed + diff.after.compilations_untimed == 0;
  if (are_whole && was && is && is_slower_or_faster(*was, *is)) {
    parts.push_back(fmt::format("compilation {} → {}", duration_text(*was), duration_text(*is)));
  }
  if (slowest != nullptr) parts.push_back(change_text(*slowest));
  return parts;
}

}  // namespace benchhud::analysis
