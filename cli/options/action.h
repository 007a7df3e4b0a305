// Commands whose first word says what is done to the store.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/store/store.h"

namespace benchhud::cli {

/// `Request` is what a command was asked for; its `words` begin with the action's name.
template <class Request>
struct Action {
  std::string_view name;
  bool writes;
  std::size_t most_arguments;  ///< words behind the name
  schema::Expected<void> (*run)(schema::Connection&, const Request&);
};

/// The action that the first word names. Never null. Error: kInvalidArgument if there is none.
template <class Request>
schema::Expected<const Action<Request>*> find_action(std::string_view command,
                                                     std::span<const Action<Request>> actions,
                                                     const Arguments& words) {
  for (const auto& action : actions) {
    if (action.name == words[0]) return &action;
  }
  return schema::Error{schema::ErrorCode::kInvalidArgument,
                       fmt::format("there is no `benchhud {} {}`", command, words[0])};
}

/// Error: kInvalidArgument, naming the first word too many.
template <class Request>
schema::Expected<void> check_arguments(std::string_view command, const Action<Request>& action,
                                       const Arguments& words) {
  if (words.size() - 1 <= action.most_arguments) return {};
  return schema::Error{schema::ErrorCode::kInvalidArgument,
                       fmt::format("`benchhud {} {}` does not take `{}`", command, action.name,
                                   words[1 + action.most_arguments])};
}

/// Opens the store, for writing only where the action writes, and does it; then `after_writing`.
template <class Request>
schema::Expected<void> perform(
    const Action<Request>& action, const Request& request, const std::string& path,
    schema::Expected<void> (*after_writing)(schema::Connection&) = nullptr) {
  BENCHHUD_ASSIGN(schema::Connection store,
                  action.writes ? schema::open_store(path) : schema::open_store_for_reading(path));
  BENCHHUD_TRY(action.run(store, request));
  if (action.writes && after_writing != nullptr) BENCHHUD_TRY(after_writing(store));
  return {};
}

/// Runs a whole command: parses its arguments, lets `read` build the request and choose the action,
/// and performs it. Returns the exit status.
template <class Request>
int run_action(
    CommandLine command_line, const Arguments& arguments,
    schema::Expected<Request> (*read)(const boost::program_options::variables_map& values,
                                      const Action<Request>** action)) {
  const ParsedCommandLine parsed = parse(std::move(command_line), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const Action<Request>* action = nullptr;
  const auto request = read(parsed.values, &action);
  if (!request) return fail(request.error());
  const auto done = perform(*action, *request, store_path(parsed.values));
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
