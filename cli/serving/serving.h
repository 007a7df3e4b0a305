// Serving a store until a signal ends it: what `serve` and `trace view` do.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "schema/base/errors.h"
#include "server/api/access.h"
#include "server/api/query_worker.h"
#include "server/http/http.h"

namespace benchhud::cli {

/// Between hold_stop_signals() and serve_store(): while it lives, SIGINT and SIGTERM call
/// `clean_up` from a thread of its own and end the program at once, with 128 and the signal's
/// number as exit status, as a shell has it of a program that a signal ended.
class StopWhileWorking {
 public:
  explicit StopWhileWorking(std::function<void()> clean_up);

 private:
  std::jthread waiting_;
};

/// What is served, and to whom.
struct ServeRequest {
  std::string store_path;
  server::HttpOptions listen;
  server::Reading reading = server::Reading::kOpen;
  /// Whether an address is made that signs one browser in, where only this machine is listened to.
  bool makes_code = true;
  /// Called from a thread of its own where the program has to be ended in the middle of its work,
  /// some seconds after a signal; not set: there is nothing to clean up.
  std::function<void()> clean_up{};
};

/// Where a store is served.
struct ServedAt {
  std::string pages;  ///< the address of the pages; ends with a slash
  std::string
      sign_in;  ///< the one that signs a browser in, once, within an hour; "": there is none
};

/// Serves a store until SIGINT or SIGTERM comes. `started` is called once requests are taken.
/// Returns what was served. Error: kIo where it cannot listen.
schema::Expected<std::shared_ptr<const server::HttpCounters>> serve_store(
    const ServeRequest& request, const std::function<void(const ServedAt& where)>& started);

/// The command that the server starts for a query of a trace (server/api/query_worker.h); it is no
/// command for people. Returns the exit status.
inline constexpr std::string_view kQueryWorkerCommand = server::kQueryWorkerCommand;
int answer_query();

/// Adds `--host`, `--allow-host` and `--port`. Their values; error kInvalidArgument for a port that
/// is none.
void add_listen_options(boost::program_options::options_description* options, int port);
schema::Expected<server::HttpOptions> listen_options(
    const boost::program_options::variables_map& values);

}  // namespace benchhud::cli
