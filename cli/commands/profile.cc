// benchhud profile: what differs between two dumps, and where an iteration goes by two profiles.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/profile_sections.h"
#include "analysis/text/quantity_text.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/profile_comparison.h"
#include "cli/output/profile_file.h"
#include "schema/base/json_writer.h"
#include "views/artifact_json.h"
#include "views/compilation_json.h"

namespace benchhud::cli {
namespace {

using analysis::ProfileChange;
using analysis::ProfileDifference;
using analysis::ProfileUnit;
using analysis::SectionDifference;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

CommandLine profile_command_line() {
  CommandLine command;
  command.usage =
      "benchhud profile diff BEFORE AFTER [option…]\n"
      "       benchhud profile compare LEFT RIGHT [option…]";
  command.about =
      "`diff` says what differs between two dumps of one kind: operator tables (key_averages), "
      "PyTorch/XLA\n"
      "metrics reports, dynamo counters, compile_times(), IR modules (HLO, StableHLO, lazy IR), "
      "logs\n"
      "of TORCH_TRACE or Chrome traces. What appeared, went or changed, by its part in the whole "
      "change, and the "
      "rest\n"
      "that nothing explains. Needs no store.\n"
      "`compare` sets two backends of one model beside each other by their profiles, of whatever "
      "form:\n"
      "where an iteration goes (tracing, compiling, transferring, executing, waiting), and its "
      "time by\n"
      "the framework's operators. LEFT and RIGHT are the file of a Chrome trace or an XPlane "
      "profile\n"
      "each, or a result in the store: RUN/EXPERIMENT or RUN/MODEL/TEST/BACKEND[/BATCH SIZE].";
  add_store_option(&command.options);
  command.options.add_options()("top", count_value("top", 20)->value_name("N"),
                                "text: no more of a kind (default 20)");
  add_format_option(&command.options, "text or json (docs/profiles.md); json has all");
  add_words(&command);
  return command;
}

struct Comparison {
  std::string kind;
  std::vector<SectionDifference> sections;
  std::vector<std::string> problems;
  std::optional<analysis::CompilationDiff> compilations = {};  ///< of logs of TORCH_TRACE
};

Expected<Comparison> compare(const std::string& before_path, const std::string& after_path) {
  BENCHHUD_ASSIGN(ProfileFile before, read_profile_file(before_path));
  BENCHHUD_ASSIGN(ProfileFile after, read_profile_file(after_path));
  if (before.kind != after.kind) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: {}; {}: {}. Only two of one kind can be compared", before_path,
                             before.kind, after_path, after.kind)};
  }
  Comparison comparison{
      before.kind, analysis::compare_sections(before.sections, after.sections), {}};
  if (before.compilations && after.compilations) {
    BENCHHUD_ASSIGN(comparison.compilations,
                    compare_logs(*before.compilations, *std::move(after.compilations)));
  }
  for (const auto& [path, file] :
       {std::pair(&before_path, &before), std::pair(&after_path, &after)}) {
    for (const std::string& problem : file->problems) {
      comparison.problems.push_back(*path + ": " + problem);
    }
  }
  return comparison;
}

void write_compilations(schema::JsonWriter& json, const analysis::CompilationDiff& diff) {
  json.key("compilations");
  json.begin_object();
  json.field("sentence", fmt::format("{}", fmt::join(compilation_parts(diff), "; ")));
  json.key("changes");
  json.list(diff.changes, [&](const analysis::CompilationChange& change) {
    views::write_compilation_change(json, change, nullptr);
  });
  json.key("unknown");
  json.list(diff.unknown, [&](const std::string& sentence) { json.value(sentence); });
  json.end_object();
}

// The sections as the API writes them, laid out for people.
std::string json_text(const Comparison& comparison) {
  std::string text;
  schema::JsonWriter json(&text, schema::JsonWriter::Layout::kIndented);
  json.begin_object();
  json.field("kind", comparison.kind);
  json.key("sections");
  views::write_section_differences(json, comparison.sections,
                                   std::numeric_limits<std::size_t>::max());
  if (comparison.compilations) write_compilations(json, *comparison.compilations);
  json.key("problems");
  json.list(comparison.problems, [&](const std::string& problem) { json.value(problem); });
  json.end_object();
  return text;
}

std::string amount_text(double amount, ProfileUnit unit) {
  if (unit == ProfileUnit::kNs) return analysis::nanoseconds_text(amount);
  return fmt::format("{:.15g}{}", amount, unit == ProfileUnit::kBytes ? " B" : "");
}

std::string signed_text(double amount, ProfileUnit unit) {
  return (amount > 0 ? "+" : "") + amount_text(amount, unit);
}

void print_section(const SectionDifference& section, std::size_t most) {
  const ProfileDifference& difference = section.difference;
  const bool is_time = section.unit == ProfileUnit::kNs;
  const bool has_shares = is_time && section.has_total;
  if (has_shares) {
    fmt::print("{}: {} → {} ({})\n", section.of, amount_text(difference.before, section.unit),
               amount_text(difference.after, section.unit),
               signed_text(difference.after - difference.before, section.unit));
  } else {
    fmt::print("{}\n", section.of);
  }
  if (difference.changes.empty()) fmt::print("  the same\n");
  for (std::size_t i = 0; i < std::min(most, difference.changes.size()); ++i) {
    const ProfileChange& change = difference.changes[i];
    fmt::print("  {:>14}", signed_text(change.after - change.before, section.unit));
    if (has_shares) {
      fmt::print("  {:>7}", change.share ? analysis::share_text(*change.share) : "–");
    } else {
      fmt::print("  {} → {}", amount_text(change.before, section.unit),
                 amount_text(change.after, section.unit));
    }
    if (is_time && change.calls_before != change.calls_after) {
      fmt::print("  calls {:.6g} → {:.6g}", change.calls_before, change.calls_after);
    }
    fmt::print("  {}{}\n", printable(change.name),
               change.kind == ProfileChange::Kind::kChanged
                   ? ""
                   : fmt::format("  ({})", change_name(change.kind)));
  }
  if (difference.changes.size() > most) {
    fmt::print("  … and {} more\n", difference.changes.size() - most);
  }
  if (is_time && difference.unexplained != 0) {
    fmt::print("  {:>14}  explained by none of these\n",
               signed_text(difference.unexplained, section.unit));
  }
}

void print_compilations(const analysis::CompilationDiff& diff, std::size_t most) {
  fmt::print("compilations\n");
  if (diff.changes.empty()) {
    fmt::print("  {}\n",
               diff.unknown.empty() ? "the same" : "of what could be compared, nothing differs");
  }
  for (std::size_t i = 0; i < std::min(most, diff.changes.size()); ++i) {
    fmt::print("  {}\n", printable(change_text(diff.changes[i])));
  }
  if (diff.changes.size() > most) fmt::print("  … and {} more\n", diff.changes.size() - most);
  for (const std::string& sentence : diff.unknown) fmt::print("  unknown: {}\n", sentence);
}

int run_diff(const Arguments& words, bool as_json, std::size_t most) {
  const auto comparison = compare(words[1], words[2]);
  if (!comparison) return fail(comparison.error());
  if (as_json) {
    fmt::print("{}\n", json_text(*comparison));
    return kDone;
  }
  if (comparison->sections.empty()) fmt::print("both are empty\n");
  for (const SectionDifference& section : comparison->sections) {
    print_section(section, most);
  }
  if (comparison->compilations) print_compilations(*comparison->compilations, most);
  for (const std::string& problem : comparison->problems) {
    fmt::print(stderr, "{}\n", printable(problem));
  }
  return kDone;
}

}  // namespace

int run_profile(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(profile_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const Arguments words = words_of(parsed.values);
  if (words.empty() || (words[0] != "diff" && words[0] != "compare")) {
    return fail({ErrorCode::kInvalidArgument,
                 words.empty() ? "`benchhud profile` needs to be told what to do: `diff BEFORE "
                                 "AFTER`, `compare LEFT RIGHT`"
                               : fmt::format("there is no `benchhud profile {}`", words[0])});
  }
  const bool is_diff = words[0] == "diff";
  if (words.size() != 3) {
    return fail({ErrorCode::kInvalidArgument,
                 is_diff ? "`benchhud profile diff` takes two files"
                         : "`benchhud profile compare` takes two files or results"});
  }
  const Expected<bool> as_json = wants_json(parsed.values);
  if (!as_json) return fail(as_json.error());
  const auto most = static_cast<std::size_t>(parsed.values["top"].as<std::int64_t>());
  if (is_diff) return run_diff(words, *as_json, most);
  const auto done =
      print_profile_comparison({store_path(parsed.values), words[1], words[2], *as_json, most});
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
