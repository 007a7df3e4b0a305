// benchhud detect: the changes of anybody's series, without a store.

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "analysis/changes/series_changes.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/detect_text.h"
#include "ingest/results/series_csv.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using analysis::ChangeRules;
using analysis::SeriesChanges;
using analysis::ValueChange;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

enum class Direction { kUp, kDown, kBoth };

struct DetectRequest {
  std::string path;
  bool as_json = false;
  ChangeRules rules = {.suspects_in_few_nights = true};
  double most_q = 0;
  Direction direction = Direction::kBoth;
};

CommandLine detect_command_line() {
  CommandLine command;
  command.usage = "benchhud detect FILE.csv [option…]";
  command.about =
      "Finds where the level of a series of numbers changed, anybody's: CSV with the columns\n"
      "`night` (a date, a build, a commit), `value` and, if there are several series, `series`;\n"
      "`-` is standard input. Rows are in order; several with one night are its repetitions.\n"
      "Says of each change by how much, how sure it is among all series of the file, and what\n"
      "noise the series has. Needs no store.\n\n"
      "Exit status: 0 every row was read; 3 some were not, and the rest was judged; 1 the file\n"
      "cannot be read or has no such columns; 2 the command line makes no sense.";
  auto add = command.options.add_options();
  add("least-effect", po::value<double>()->value_name("PERCENT")->default_value(2),
      "do not tell of smaller changes, in percent of the level before");
  add("fewest-nights", count_value("fewest-nights", 3),
      "that a confirmed change has on either side; fewer at the end are suspected");
  add("q", po::value<double>()->value_name("SHARE")->default_value(0.05, "0.05"),
      "how many of the confirmed changes may be none, as a share");
  add("direction", po::value<std::string>()->value_name("WHICH")->default_value("both"),
      "up, down or both: tell of these alone");
  add_format_option(&command.options, "text or json (docs/formats.md)");
  add_words(&command);
  return command;
}

Expected<Direction> direction_of(const std::string& name) {
  if (name == "up") return Direction::kUp;
  if (name == "down") return Direction::kDown;
  if (name == "both") return Direction::kBoth;
  return Error{ErrorCode::kInvalidArgument, "--direction is up, down or both"};
}

Expected<DetectRequest> read_detect_request(const po::variables_map& values) {
  DetectRequest request;
  const Arguments words = words_of(values);
  if (words.size() != 1) {
    return Error{ErrorCode::kInvalidArgument,
                 "`benchhud detect` takes one file, or - for standard input"};
  }
  request.path = words[0];
  BENCHHUD_ASSIGN(request.as_json, wants_json(values));
  BENCHHUD_ASSIGN(request.direction, direction_of(values["direction"].as<std::string>()));
  const double percent = values["least-effect"].as<double>();
  if (!std::isfinite(percent) || percent < 0) {
    return Error{ErrorCode::kInvalidArgument, "--least-effect is a number of percent from 0"};
  }
  request.rules.least_effect = percent / 100;
  request.rules.fewest_nights =
      static_cast<std::size_t>(values["fewest-nights"].as<std::int64_t>());
  request.most_q = values["q"].as<double>();
  if (!(request.most_q > 0 && request.most_q <= 1)) {
    return Error{ErrorCode::kInvalidArgument, "--q is a number above 0, and 1 at most"};
  }
  return request;
}

std::vector<SeriesChanges> changes_of(const ingest::SeriesCsv& read, const ChangeRules& rules) {
  std::vector<SeriesChanges> changes;
  changes.reserve(read.series.size());
  for (const auto& series : read.series) {
    std::vector<std::span<const double>> nights;
    for (std::size_t i = 0; i < series.nights.size(); ++i) nights.push_back(series.values_of(i));
    changes.push_back(analysis::changes_of_series(nights, rules));
  }
  return changes;
}

void keep(Direction direction, SeriesChanges* series) {
  const auto is_other = [direction](const ValueChange& change) {
    return change.is_up() != (direction == Direction::kUp);
  };
  std::erase_if(series->found, is_other);
  std::erase_if(series->rejected, [&](const auto& rejected) { return is_other(rejected.change); });
}

}  // namespace

int run_detect(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(detect_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto request = read_detect_request(parsed.values);
  if (!request) return fail(request.error());
  const auto read = ingest::read_series_csv(request->path);
  if (!read) return fail(read.error());
  std::vector<SeriesChanges> changes = changes_of(*read, request->rules);
  // Whoever asks for one direction has searched in both: they are judged before they are left out.
  analysis::tell_together(changes, request->most_q);
  if (request->direction != Direction::kBoth) {
    for (SeriesChanges& series : changes) keep(request->direction, &series);
  }
  const std::string text =
      request->as_json ? changes_json(*read, changes) : changes_table(*read, changes);
  std::fwrite(text.data(), 1, text.size(), stdout);
  for (const auto& problem : read->problems) {
    fmt::print(stderr, "{}:{}: {}\n", printable(request->path), problem.line,
               printable(problem.reason));
  }
  return read->problems.empty() ? kDone : kSomeRejected;
}

}  // namespace benchhud::cli
