// benchhud expect: says what should be in every run, so that what is missing is missed.

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options/action.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/options/text_file.h"
#include "ingest/results/manifest_csv.h"
#include "schema/results/manifest.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::size_t kLongestManifest = std::size_t{64} << 20;

constexpr const char* kAboutExpect =
    "  list                      the accelerator models that have a manifest (where nothing is "
    "given)\n"
    "  show                      what is expected on --accelerator-model\n"
    "  set FILE                  expect what FILE names on --accelerator-model, instead of what "
    "was\n"
    "                            expected before\n"
    "  clear                     expect what was in the runs before again\n\n"
    "FILE is CSV with the columns suite, model, test and backend; a field may hold several names\n"
    "with | between them and then stands for each. Without a manifest a run is expected to hold\n"
    "what was in one of the 14 runs before it.";

struct ExpectRequest {
  std::vector<std::string> words;
  std::string accelerator_model;
  bool as_json = false;
};

Expected<void> check_accelerator(Connection& store, const ExpectRequest& request) {
  if (!request.accelerator_model.empty()) return {};
  schema::RunFilter newest;
  newest.limit = 1;
  BENCHHUD_ASSIGN(const auto runs, schema::Reader(store).runs(newest));
  const std::string example = runs.empty() ? "TEXT" : runs.front().accelerator_model;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`benchhud expect {}` needs --accelerator-model, as in "
                           "--accelerator-model '{}'",
                           request.words[0], printable(example))};
}

Expected<void> list(Connection& store, const ExpectRequest& request) {
  BENCHHUD_ASSIGN(const auto known, schema::manifests(store));
  Json json = Json::array();
  for (const auto& [model, count] : known) {
    json.push_back({{"accelerator_model", model}, {"results", count}});
    if (!request.as_json) fmt::print("{:>7}  {}\n", count, printable(model));
  }
  if (request.as_json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else if (known.empty()) {
    fmt::print("there is no manifest: what was in the 14 runs before a run is expected of it\n");
  }
  return {};
}

Expected<void> show(Connection& store, const ExpectRequest& request) {
  BENCHHUD_TRY(check_accelerator(store, request));
  BENCHHUD_ASSIGN(const auto manifest, schema::manifest_of(store, request.accelerator_model));
  Json json = Json::array();
  for (const auto& one : manifest) {
    json.push_back(
        {{"suite", one.suite}, {"model", one.model}, {"test", one.test}, {"backend", one.backend}});
    if (!request.as_json) {
      fmt::print("{}/{} {} {}\n", printable(one.suite), printable(one.model), printable(one.test),
                 printable(one.backend));
    }
  }
  if (request.as_json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else if (manifest.empty()) {
    fmt::print("{} has no manifest\n", printable(request.accelerator_model));
  }
  return {};
}

Expected<void> set(Connection& store, const ExpectRequest& request) {
  BENCHHUD_TRY(check_accelerator(store, request));
  if (request.words.size() < 2) {
    return Error{ErrorCode::kInvalidArgument, "`benchhud expect set` needs a file"};
  }
  BENCHHUD_ASSIGN(const std::string text, read_text_file(request.words[1], kLongestManifest));
  auto manifest = ingest::read_manifest(text);
  if (!manifest) {
    return Error{manifest.error().code,
                 fmt::format("{}: {}", request.words[1], manifest.error().message)};
  }
  BENCHHUD_TRY(schema::put_manifest(store, request.accelerator_model, *manifest));
  fmt::print("{} results are expected in every run on {}\n", manifest->size(),
             printable(request.accelerator_model));
  return {};
}

Expected<void> clear(Connection& store, const ExpectRequest& request) {
  BENCHHUD_TRY(check_accelerator(store, request));
  BENCHHUD_TRY(schema::put_manifest(store, request.accelerator_model, {}));
  fmt::print("what was in the runs before is expected on {} again\n",
             printable(request.accelerator_model));
  return {};
}

constexpr std::array kExpectActions = {
    Action<ExpectRequest>{"list", false, 0, list},
    Action<ExpectRequest>{"show", false, 0, show},
    Action<ExpectRequest>{"set", true, 1, set},
    Action<ExpectRequest>{"clear", true, 0, clear},
};

CommandLine expect_command_line() {
  CommandLine command;
  command.usage = "benchhud expect [ACTION [FILE]] [option…]";
  command.about = kAboutExpect;
  add_store_option(&command.options);
  command.options.add_options()("accelerator-model",
                                po::value<std::string>()->value_name("TEXT")->default_value(""),
                                "whose runs are meant");
  add_format_option(&command.options);
  add_words(&command);
  return command;
}

}  // namespace

int run_expect(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(expect_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  ExpectRequest request;
  request.words = words_of(parsed.values);
  if (request.words.empty()) request.words = {"list"};
  request.accelerator_model = parsed.values["accelerator-model"].as<std::string>();
  const Expected<bool> as_json = wants_json(parsed.values);
  if (!as_json) return fail(as_json.error());
  request.as_json = *as_json;
  const auto action = find_action<ExpectRequest>("expect", kExpectActions, request.words);
  if (!action) return fail(action.error());
  if (const auto fits = check_arguments("expect", **action, request.words); !fits) {
    return fail(fits.error());
  }
  const auto done = perform(**action, request, store_path(parsed.values));
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
