#include "analysis/profiles/profile_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/profiles/dynamo_counters.h"
#include "analysis/text/quantity_text.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::analysis {

using schema::ArtifactKind;
using schema::name_in_sentence;
using Topic = ProfileFinding::Topic;
using Kind = ProfileChange::Kind;

namespace {

constexpr std::size_t kMostNames = 5;
// What explains less of a change than would be printed as a percent is counted, not named.
constexpr double kSmallestShare = 0.005;
// PyTorch/XLA's metric of what it compiled.
constexpr std::string_view kCompileTime = "CompileTime";

std::string signed_text(const std::string& text, double value) {
  return value > 0 ? "+" + text : text;
}

std::string amount_text(double amount, ProfileUnit unit) {
  if (unit == ProfileUnit::kNs) return nanoseconds_text(amount);
  if (unit == ProfileUnit::kBytes) return fmt::format("{:.0f} bytes", amount);
  return fmt::format("{:.10g}", amount);
}

// Of "group: counter"; what has no group is no counter of Dynamo's.
bool is_counter_of_cache(std::string_view name) {
  const std::size_t colon = name.find(": ");
  return colon != name.npos && is_of_cache(name.substr(0, colon), name.substr(colon + 2));
}

// What a change of a counter is about, if it is worth a sentence.
std::optional<Topic> topic_of(ArtifactKind kind, std::string_view name) {
  if (kind == ArtifactKind::kDynamoCounters && is_counter_of_cache(name)) return std::nullopt;
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
  const std::string name = name_in_sentence(change.name);
  if (is_named && change.kind == Kind::kAppeared) {
    return fmt::format("{} is new ({})", name, amount_text(change.after, unit));
  }
  if (is_named && change.kind == Kind::kGone) {
    return fmt::format("{} is gone (was {})", name, amount_text(change.before, unit));
  }
  return fmt::format("{} {} → {}", name, amount_text(change.before, unit),
                     amount_text(change.after, unit));
}

// "; and 3 more".
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

// " (+20 %)"; " (× 12)" where it is a multiple; "" where there was nothing to have a part of.
std::string change_in_percent(double before, double after) {
  constexpr double kMultiple = 10;
  if (!(before > 0)) return "";
  const double ratio = after / before;
  return ratio < kMultiple ? fmt::format(" ({:+.0f} %)", (ratio - 1) * 100)
                           : fmt::format(" (× {:.3g})", ratio);
}

bool is_worth_saying(double before, double after) {
  const double larger = std::max(before, after);
  return larger > 0 && std::abs(after - before) >= kWorthSaying * larger;
}

// Times that contain each other: each by itself.
void find_single_times(const ProfileComparison& comparison, const SectionDifference& section,
                       std::vector<ProfileFinding>* findings) {
  ProfileFinding others{Topic::kOperators, comparison.kind, {}, section.of + ": ", {}};
  std::size_t count = 0;
  for (const ProfileChange& change : section.difference.changes) {
    if (!is_worth_saying(change.before, change.after)) continue;
    std::string text = change_text(comparison.kind, change, section.unit);
    if (change.kind == Kind::kChanged) text += change_in_percent(change.before, change.after);
    if (change.name == kCompileTime) {
      findings->push_back(
          {Topic::kCompilation, comparison.kind, {}, std::move(text) + ".", {change.name}});
    } else if (++count <= kMostNames) {
      others.sentence += (count > 1 ? "; " : "") + text;
      others.names.push_back(change.name);
    }
  }
  if (count == 0) return;
  others.sentence += rest_text(count) + ".";
  findings->push_back(std::move(others));
}

// A time and what it changed by.
void find_times(const ProfileComparison& comparison, const SectionDifference& section,
                std::vector<ProfileFinding>* findings) {
  const ProfileDifference& difference = section.difference;
  const double change = difference.after - difference.before;
  if (!is_worth_saying(difference.before, difference.after)) return;
  ProfileFinding finding;
  const bool is_of_compiling = comparison.kind == ArtifactKind::kCompileTimes ||
                               comparison.kind == ArtifactKind::kTorchTrace;
  finding.topic = is_of_compiling ? Topic::kCompilation : Topic::kOperators;
  finding.kind = comparison.kind;
  finding.sentence = fmt::format("{}: {} → {}", section.of, nanoseconds_text(difference.before),
                                 nanoseconds_text(difference.after)) +
                     change_in_percent(difference.before, difference.after);
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
    finding.sentence += fmt::format("{}{} {}", said ? "; " : ": ", name_in_sentence(item.name),
                                    signed_text(nanoseconds_text(its), its));
    // What went the other way makes up for more than a whole: no share of it.
    if (item.share && *item.share <= 1) {
      finding.sentence += fmt::format(" ({:.0f} % of the change{})", *item.share * 100, how);
    } else if (*how != 0) {
      finding.sentence += fmt::format(" ({})", how + 2);
    }
    finding.names.push_back(item.name);
    ++said;
  }
  finding.sentence += rest_text(alike, said) + ".";
  findings->push_back(std::move(finding));
}

// What appeared or went among operators explains a change even where its own time is small: what
// was one fused kernel may be ten. A row is in every section of its table, so it is named once.
void find_names(const ProfileComparison& comparison, std::vector<ProfileFinding>* findings) {
  struct Named {
    double ns = 0;
    std::string_view of;
    bool is_known = false;  ///< to have appeared or gone itself, not with a section
  };
  for (const auto& [kind, words] : {std::pair(Kind::kAppeared, "Operators that were not there"),
                                    std::pair(Kind::kGone, "Operators that are gone")}) {
    std::map<std::string_view, Named> operators;
    for (const SectionDifference& section : comparison.sections) {
      for (const ProfileChange& change : section.difference.changes) {
        if (change.kind != kind) continue;
        Named& named = operators[change.name];
        named.is_known = named.is_known || !section.is_one_sided;
        const double ns = kind == Kind::kAppeared ? change.after : change.before;
        if (ns > named.ns) named = {ns, section.of, named.is_known};
      }
    }
    std::erase_if(operators,
                  [](const auto& entry) { return !entry.second.is_known || entry.second.ns <= 0; });
    if (operators.empty()) continue;
    std::vector<std::pair<std::string_view, Named>> largest(operators.begin(), operators.end());
    std::stable_sort(largest.begin(), largest.end(),
                     [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
    ProfileFinding finding;
    finding.kind = comparison.kind;
    finding.sentence = words;
    for (std::size_t i = 0; i < largest.size() && i < kMostNames; ++i) {
      const auto& [name, named] = largest[i];
      finding.sentence += fmt::format("{}{} ({} {})", i ? "; " : ": ", name_in_sentence(name),
                                      nanoseconds_text(named.ns), named.of);
      finding.names.emplace_back(name);
    }
    finding.sentence += rest_text(largest.size()) + ".";
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
    const std::size_t known = findings.size();
    for (const SectionDifference& section : comparison.sections) {
      if (comparison.kind == ArtifactKind::kIr) {
        find_ir(comparison, section, &findings);
      } else if (section.unit == ProfileUnit::kNs) {
        // A trace's operators are those of the table, without its own total.
        if (comparison.kind == ArtifactKind::kTrace && has_tables) continue;
        section.has_total ? find_times(comparison, section, &findings)
                          : find_single_times(comparison, section, &findings);
      } else if (section.unit == ProfileUnit::kCount) {
        find_counts(comparison, section, &findings);
      }
    }
    if (comparison.kind == ArtifactKind::kOperatorTable) find_names(comparison, &findings);
    for (std::size_t i = known; i < findings.size(); ++i) findings[i].part = comparison.part;
  }
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const ProfileFinding& a, const ProfileFinding& b) { return a.topic < b.topic; });
  return findings;
}

}  // namespace benchhud::analysis
