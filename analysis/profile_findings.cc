#include "analysis/profile_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/duration_text.h"

namespace benchhud::analysis {

using schema::ArtifactKind;
using Topic = ProfileFinding::Topic;
using Kind = ProfileChange::Kind;

namespace {

constexpr std::size_t kMostNames = 5;
// What explains less of a change than would be printed as a percent is counted, not named.
constexpr double kSmallestShare = 0.005;

std::string time_text(double ns) { return duration_text(ns / 1e9); }

std::string signed_text(const std::string& text, double value) {
  return value > 0 ? "+" + text : text;
}

std::string amount_text(double amount, ProfileUnit unit) {
  if (unit == ProfileUnit::kNs) return time_text(amount);
  if (unit == ProfileUnit::kBytes) return fmt::format("{:.0f} bytes", amount);
  return fmt::format("{:.10g}", amount);
}

bool is_counter_of_cache(std::string_view name) {
  return name.find("cache") != name.npos || name.find("Cache") != name.npos;
}

// What a change of a counter is about, if it is worth a sentence.
std::optional<Topic> topic_of(ArtifactKind kind, std::string_view name) {
  if (is_counter_of_cache(name)) return std::nullopt;
  if (name.starts_with("graph_break: ") || name.starts_with("graph breaks")) {
    return Topic::kGraphBreaks;
  }
  if (name.find("recompil") != name.npos) return Topic::kRecompilations;
  if (kind == ArtifactKind::kXlaMetrics && name.starts_with("aten::")) return Topic::kFallbacks;
  if (name.starts_with("compiled region") || name.starts_with("compiled functions") ||
      name.starts_with("stats: ") || name.starts_with("frames: ")) {
    return Topic::kCompilation;
  }
  return std::nullopt;
}

std::string_view subject_of(Topic topic) {
  switch (topic) {
    case Topic::kGraphBreaks:
      return "Graph breaks";
    case Topic::kRecompilations:
      return "Recompilations";
    case Topic::kFallbacks:
      return "Operations that fall back to the CPU";
    case Topic::kOperators:
      return "Operators";
    case Topic::kCompilation:
      return "What is compiled";
    case Topic::kIr:
      return "Graphs";
  }
  return "";
}

std::string change_text(ArtifactKind kind, const ProfileChange& change, ProfileUnit unit) {
  // What a trace counts is there, if only as 0; a counter has a name of its own.
  const bool is_named = kind != ArtifactKind::kTrace;
  if (is_named && change.kind == Kind::kAppeared) {
    return fmt::format("{} is new ({})", change.name, amount_text(change.after, unit));
  }
  if (is_named && change.kind == Kind::kGone) {
    return fmt::format("{} is gone (was {})", change.name, amount_text(change.before, unit));
  }
  return fmt::format("{} {} → {}", change.name, amount_text(change.before, unit),
                     amount_text(change.after, unit));
}

// "…, and 3 more".
std::string rest_text(std::size_t all, std::size_t said = kMostNames) {
  return all > said ? fmt::format("; and {} more", all - said) : "";
}

ProfileFinding listed(Topic topic, ArtifactKind kind, ProfileUnit unit,
                      const std::vector<const ProfileChange*>& changes) {
  ProfileFinding finding;
  finding.topic = topic;
  finding.kind = kind;
  finding.sentence = fmt::format("{}: ", subject_of(topic));
  for (std::size_t i = 0; i < changes.size() && i < kMostNames; ++i) {
    finding.sentence += (i ? "; " : "") + change_text(kind, *changes[i], unit);
    finding.names.push_back(changes[i]->name);
  }
  finding.sentence += rest_text(changes.size()) + ".";
  return finding;
}

void find_counts(const ProfileComparison& comparison, const SectionDifference& section,
                 std::vector<ProfileFinding>* findings) {
  constexpr std::array kTopics = {Topic::kGraphBreaks, Topic::kRecompilations, Topic::kFallbacks,
                                  Topic::kCompilation};
  for (const Topic topic : kTopics) {
    std::vector<const ProfileChange*> changes;
    for (const ProfileChange& change : section.difference.changes) {
      if (topic_of(comparison.kind, change.name) == topic) changes.push_back(&change);
    }
    if (!changes.empty()) {
      findings->push_back(listed(topic, comparison.kind, section.unit, changes));
    }
  }
}

void find_ir(const ProfileComparison& comparison, const SectionDifference& section,
             std::vector<ProfileFinding>* findings) {
  std::vector<const ProfileChange*> changes;
  for (const ProfileChange& change : section.difference.changes) changes.push_back(&change);
  if (changes.empty()) return;
  ProfileFinding finding = listed(Topic::kIr, comparison.kind, section.unit, changes);
  finding.sentence =
      fmt::format("{}, {}", section.of, finding.sentence.substr(finding.sentence.find(": ") + 2));
  findings->push_back(std::move(finding));
}

// A time and what it changed by.
void find_times(const ProfileComparison& comparison, const SectionDifference& section,
                std::vector<ProfileFinding>* findings) {
  const ProfileDifference& difference = section.difference;
  const double change = difference.after - difference.before;
  const double larger = std::max(difference.before, difference.after);
  if (larger <= 0 || std::abs(change) < kWorthSaying * larger) return;
  ProfileFinding finding;
  finding.topic =
      comparison.kind == ArtifactKind::kCompileTimes ? Topic::kCompilation : Topic::kOperators;
  finding.kind = comparison.kind;
  finding.sentence = fmt::format("{}: {} → {}", section.of, time_text(difference.before),
                                 time_text(difference.after));
  if (difference.before > 0) {
    finding.sentence += fmt::format(" ({:+.0f} %)", change / difference.before * 100);
  }
  std::size_t said = 0, alike = 0;
  for (const ProfileChange& item : difference.changes) {
    const double its = item.after - item.before;
    // Only what went the way of the whole explains it.
    if (its * change <= 0) continue;
    ++alike;
    if (said == kMostNames || item.share.value_or(0) < kSmallestShare) continue;
    const char* const how = item.kind == Kind::kAppeared ? ", new"
                            : item.kind == Kind::kGone   ? ", gone"
                                                         : "";
    finding.sentence +=
        fmt::format("{}{} {} ({:.0f} % of the change{})", said ? "; " : ": ", item.name,
                    signed_text(time_text(its), its), item.share.value_or(0) * 100, how);
    finding.names.push_back(item.name);
    ++said;
  }
  finding.sentence += rest_text(alike, said) + ".";
  findings->push_back(std::move(finding));
}

// What appeared or went among operators explains a change even where its own time is small: what
// was one fused kernel may be ten.
void find_names(const ProfileComparison& comparison, const SectionDifference& section,
                std::vector<ProfileFinding>* findings) {
  for (const auto& [kind, words] : {std::pair(Kind::kAppeared, "Operators that were not there"),
                                    std::pair(Kind::kGone, "Operators that are gone")}) {
    ProfileFinding finding;
    finding.kind = comparison.kind;
    std::size_t count = 0;
    std::string list;
    for (const ProfileChange& change : section.difference.changes) {
      if (change.kind != kind) continue;
      if (++count > kMostNames) continue;
      const double amount = kind == Kind::kAppeared ? change.after : change.before;
      list += fmt::format("{}{} ({})", count > 1 ? ", " : "", change.name, time_text(amount));
      finding.names.push_back(change.name);
    }
    if (count == 0) continue;
    finding.sentence = fmt::format("{} ({}): {}{}.", words, section.of, list, rest_text(count));
    findings->push_back(std::move(finding));
  }
}

}  // namespace

std::string_view topic_name(Topic topic) {
  switch (topic) {
    case Topic::kGraphBreaks:
      return "graph_breaks";
    case Topic::kRecompilations:
      return "recompilations";
    case Topic::kFallbacks:
      return "fallbacks";
    case Topic::kOperators:
      return "operators";
    case Topic::kCompilation:
      return "compilation";
    case Topic::kIr:
      return "ir";
  }
  return "";
}

std::vector<ProfileFinding> profile_findings(const std::vector<ProfileComparison>& comparisons) {
  const bool has_tables =
      std::any_of(comparisons.begin(), comparisons.end(), [](const ProfileComparison& comparison) {
        return comparison.kind == ArtifactKind::kOperatorTable && !comparison.sections.empty();
      });
  std::vector<ProfileFinding> findings;
  for (const ProfileComparison& comparison : comparisons) {
    for (const SectionDifference& section : comparison.sections) {
      if (comparison.kind == ArtifactKind::kIr) {
        find_ir(comparison, section, &findings);
      } else if (section.unit == ProfileUnit::kNs) {
        // A trace's operators are those of the table, without its own total.
        if (comparison.kind == ArtifactKind::kTrace && has_tables) continue;
        find_times(comparison, section, &findings);
        if (comparison.kind == ArtifactKind::kOperatorTable) {
          find_names(comparison, section, &findings);
        }
      } else if (section.unit == ProfileUnit::kCount) {
        find_counts(comparison, section, &findings);
      }
    }
  }
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const ProfileFinding& a, const ProfileFinding& b) { return a.topic < b.topic; });
  return findings;
}

}  // namespace benchhud::analysis
