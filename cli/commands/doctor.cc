// benchhud doctor: whether the store is in order and up to date.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "schema/base/time.h"
#include "schema/store/store_health.h"

namespace benchhud::cli {
namespace {

using schema::HealthCheck;
using schema::HealthLevel;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kLevels = {"good", "warning", "bad"};

std::string_view level_name(HealthLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

void print_json(const std::vector<HealthCheck>& checks) {
  Json all = Json::array();
  for (const HealthCheck& check : checks) {
    all.push_back(
        {{"check", check.name}, {"level", level_name(check.level)}, {"words", check.words}});
  }
  fmt::print("{}\n", Json{{"checks", all}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

int run_doctor(const Arguments& arguments) {
  namespace po = boost::program_options;
  CommandLine command;
  command.usage = "benchhud doctor [--max-age HOURS] [--quick] [--quiet] [--db FILE]";
  command.about =
      "Looks through the store and says whether it is whole, of this program's version, has room "
      "to\n"
      "grow, and has results that are new enough. Exit status 1 where something is bad; warnings "
      "are\n"
      "none. It changes nothing and may run while the store is in use.";
  add_store_option(&command.options);
  add_format_option(&command.options);
  command.options.add_options()("max-age", count_value("--max-age", 30),
                                "hours, after which results are missing")(
      "quick", po::bool_switch(), "do not compare indexes with their tables")(
      "quiet", po::bool_switch(), "say only what is not good: for a job whose output is mailed");
  const ParsedCommandLine parsed = parse(std::move(command), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto is_json = wants_json(parsed.values);
  if (!is_json) return fail(is_json.error());

  schema::HealthOptions options;
  options.now = schema::now();
  options.most_age = 3600.0 * static_cast<double>(parsed.values["max-age"].as<std::int64_t>());
  if (parsed.values["quick"].as<bool>()) options.examination = schema::Examination::kStructure;
  auto checks = schema::examine_store(store_path(parsed.values), options);
  const bool is_bad = std::any_of(checks.begin(), checks.end(), [](const HealthCheck& check) {
    return check.level == HealthLevel::kBad;
  });
  if (parsed.values["quiet"].as<bool>()) {
    std::erase_if(checks, [](const HealthCheck& c) { return c.level == HealthLevel::kGood; });
  }
  if (*is_json) {
    print_json(checks);
  } else {
    for (const HealthCheck& check : checks) {
      fmt::print("{:<8} {:<10} {}\n", level_name(check.level), check.name, printable(check.words));
    }
  }
  return is_bad ? kFailed : kDone;
}

}  // namespace benchhud::cli
