// benchhud doctor: whether the store is in order and up to date.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "schema/base/count_text.h"
#include "schema/base/time.h"
#include "schema/store/store.h"
#include "schema/store/store_health.h"
#include "service/maintenance/trace_moves.h"

namespace benchhud::cli {
namespace {

using schema::HealthCheck;
using schema::HealthLevel;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kLevels = {"good", "warning", "bad"};

std::string_view level_name(HealthLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

/// Whether traces that are kept outside the store are where they were put; nothing where none are.
std::optional<HealthCheck> packs_check(const std::string& path, bool reads_all) {
  const auto check = [&]() -> schema::Expected<std::optional<HealthCheck>> {
    std::optional<HealthCheck> found;
    BENCHHUD_ASSIGN(auto store, schema::open_store_for_reading(path));
    BENCHHUD_ASSIGN(const auto known, trace::trace_place(store));
    BENCHHUD_ASSIGN(const trace::TraceCounts counts, trace::count_traces(store));
    if (!known && counts.moved == 0) return found;
    if (!known) {
      found = HealthCheck{"packs", HealthLevel::kWarning,
                          fmt::format("{} are not in this copy of the store, which does not say "
                                      "where they are",
                                      schema::count_text(counts.moved, "trace"))};
      return found;
    }
    BENCHHUD_ASSIGN(const auto place, trace::open_trace_place(*known));
    BENCHHUD_ASSIGN(const auto report, service::examine_place(store, *place, reads_all));
    std::string words =
        fmt::format("{} of traces in {}, {}", schema::count_text(report.packs, "pack"),
                    known->address, schema::megabytes_text(report.bytes));
    if (known->takes_new && counts.waiting > 0) {
      words += fmt::format(
          "; {} in the store itself: the next ingest, or `benchhud traces move`, "
          "tries to move {} there",
          schema::count_text(counts.waiting, "trace"), counts.waiting == 1 ? "it" : "them");
    }
    if (report.orphans > 0) {
      words += fmt::format(
          "; {} more of no trace, which `benchhud prune --orphans` removes when their time "
          "has come",
          schema::megabytes_text(report.orphan_bytes));
    }
    if (report.damaged > 0) {
      words += fmt::format("; {} missing or damaged, restore them from a backup of the place: ",
                           report.damaged);
      for (const std::string& each : report.problems) {
        words += (&each == report.problems.data() ? "" : ", ") + each;
      }
    } else if (reads_all) {
      words += ", each with the bytes that were put there";
    }
    found = HealthCheck{"packs", report.damaged > 0 ? HealthLevel::kBad : HealthLevel::kGood,
                        std::move(words)};
    return found;
  };
  const auto found = check();
  if (found) return *found;
  // Of a store that cannot be read, or is of another version, the other checks say so.
  const schema::ErrorCode code = found.error().code;
  if (code == schema::ErrorCode::kVersion || code == schema::ErrorCode::kNotFound) return {};
  return HealthCheck{"packs", HealthLevel::kBad, found.error().message};
}

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
  command.usage = "benchhud doctor [--max-age HOURS] [--quick | --full] [--quiet] [--db FILE]";
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
      "full", po::bool_switch(),
      "also read the packs of traces that were moved out of the store, and compare their hashes")(
      "quiet", po::bool_switch(), "say only what is not good: for a job whose output is mailed");
  const ParsedCommandLine parsed = parse(std::move(command), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto is_json = wants_json(parsed.values);
  if (!is_json) return fail(is_json.error());

  schema::HealthOptions options;
  options.now = schema::now();
  options.most_age = 3600.0 * static_cast<double>(parsed.values["max-age"].as<std::int64_t>());
  if (parsed.values["quick"].as<bool>()) options.examination = schema::Examination::kStructure;
  const bool is_full = parsed.values["full"].as<bool>();
  if (is_full && options.examination == schema::Examination::kStructure) {
    return fail({schema::ErrorCode::kInvalidArgument, "--quick and --full exclude each other"});
  }
  auto checks = schema::examine_store(store_path(parsed.values), options);
  const bool is_readable = std::none_of(checks.begin(), checks.end(), [](const HealthCheck& check) {
    return check.level == HealthLevel::kBad && (check.name == "opens" || check.name == "integrity");
  });
  if (is_readable) {
    if (auto packs = packs_check(store_path(parsed.values), is_full)) {
      checks.push_back(*std::move(packs));
    }
  }
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
