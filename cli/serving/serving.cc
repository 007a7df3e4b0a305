#include "cli/serving/serving.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/options/memory.h"
#include "cli/options/stop_signal.h"
#include "schema/base/caught_error.h"
#include "schema/base/time.h"
#include "schema/store/access_token.h"
#include "server/api/app.h"
#include "server/api/cache_prefetcher.h"
#include "server/api/expiry.h"
#include "server/http/host_names.h"
#include "server/http/static_files.h"
#include "server/routes/route_tables.h"
#include "trace/pack/pack_reading.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;

/// After SIGTERM the program ends within this time, whatever it is doing: a request that computes,
/// a message on a pipe that nobody reads. To end at any moment is safe: what was acknowledged is
/// committed, and what an open transaction wrote is rolled back by whoever opens the store next.
constexpr std::chrono::milliseconds kLongestEnd{8500};

/// What it throws ends with it: this is the end of the program, on a thread of its own.
void call(const std::function<void()>& clean_up) noexcept {
  try {
    if (clean_up) clean_up();
  } catch (const std::exception&) {
  }
}

/// Ends the program in that time unless it has ended by itself. Where there is no memory for a
/// thread that does, what is under way has to end by itself.
void end_soon(const std::function<void()>& clean_up) {
  try {
    std::thread([clean_up] {
      std::this_thread::sleep_for(kLongestEnd);
      call(clean_up);
      std::_Exit(0);
    }).detach();
  } catch (const std::exception&) {
  }
}

/// Serves until SIGINT or SIGTERM comes. Signals are taken by a thread of their own, so that no
/// handler has to be safe at any moment.
schema::Expected<void> serve_until_signal(server::HttpServer& http,
                                          const std::function<void()>& clean_up) {
  const sigset_t signals = stop_signals();
  std::thread waiting([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    end_soon(clean_up);
    http.stop();
    trace::end_waiting_for_places();
  });
  const auto ended = schema::caught([&]() -> schema::Expected<void> {
    http.run();
    return {};
  });
  // The server may have ended by itself; then the signal is ours to send.
  pthread_kill(waiting.native_handle(), SIGTERM);
  waiting.join();
  return ended;
}

std::string start_stamp() {
  return std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
}

/// A host as it stands in an address.
std::string in_url(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

StopWhileWorking::StopWhileWorking(std::function<void()> clean_up)
    : waiting_([clean_up = std::move(clean_up)](const std::stop_token& is_over) {
        const sigset_t signals = stop_signals();
        constexpr timespec kBetweenLooks = {0, 20'000'000};
        while (!is_over.stop_requested()) {
          const int signal = sigtimedwait(&signals, nullptr, &kBetweenLooks);
          if (signal <= 0) continue;
          call(clean_up);
          std::_Exit(128 + signal);
        }
      }) {}

schema::Expected<std::shared_ptr<const server::HttpCounters>> serve_store(
    const ServeRequest& request, const std::function<void(const ServedAt& where)>& started) {
  constexpr double kCodeSeconds = 3600;
  limit_addresses();
  server::AppOptions app_options;
  app_options.store_path = request.store_path;
  app_options.version = BENCHHUD_VERSION;
  app_options.instance = start_stamp();
  app_options.reading = request.reading;
  // This program as it runs, also after another version has taken its place.
  app_options.queries.command = {"/proc/self/exe", std::string(kQueryWorkerCommand)};
  // Those that run and those that wait hold at most half of the threads.
  app_options.queries.at_once = std::clamp<std::size_t>(request.listen.threads / 4, 1, 2);
  if (request.makes_code && server::is_loopback(request.listen.host)) {
    BENCHHUD_ASSIGN(app_options.sign_in_code, schema::random_secret());
    app_options.sign_in_code_until = schema::now() + kCodeSeconds;
  }
  server::HttpOptions listen = request.listen;
  app_options.http = listen.counters;
  const std::string code = app_options.sign_in_code;
  server::App app(std::move(app_options), server::all_routes(), server::built_in_pages());
  listen.limits.upload_addresses = app.upload_addresses();
  listen.lane_of = [&app](std::string_view method, std::string_view target) {
    return app.lane_of(method, target);
  };
  BENCHHUD_ASSIGN(auto http, server::HttpServer::bind(listen, [&app](const server::Request& r) {
                    return app.handle(r);
                  }));
  const server::CachePrefetcher prefetcher(app, request.store_path);
  const server::Expiry expiry(request.store_path);
  ServedAt where;
  where.pages = fmt::format("http://{}:{}/", in_url(request.listen.host), http.port());
  // Behind a #, which browsers keep to themselves: no log and no other site gets to see it.
  if (!code.empty()) where.sign_in = where.pages + "sign-in#" + code;
  started(where);
  BENCHHUD_TRY(serve_until_signal(http, request.clean_up));
  return std::shared_ptr<const server::HttpCounters>(listen.counters);
}

int answer_query() { return server::run_query_worker(); }

void add_listen_options(po::options_description* options, int port) {
  auto add = options->add_options();
  add("host", po::value<std::string>()->default_value("127.0.0.1"),
      "the address to listen on; 0.0.0.0 lets other machines in");
  add("allow-host", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
      "a host name that requests may be addressed to, beside localhost and its like: the one under "
      "which a proxy in front of the server is reached; may be repeated");
  add("port", po::value<int>()->default_value(port), "the port; 0 takes one that is free");
}

schema::Expected<server::HttpOptions> listen_options(const po::variables_map& values) {
  server::HttpOptions options;
  options.host = values["host"].as<std::string>();
  options.port = values["port"].as<int>();
  if (values.count("allow-host")) {
    options.allowed_hosts = values["allow-host"].as<std::vector<std::string>>();
  }
  constexpr int kMostPort = 65535;
  if (options.port >= 0 && options.port <= kMostPort) return options;
  return schema::Error{schema::ErrorCode::kInvalidArgument, "--port must be between 0 and 65535"};
}

}  // namespace benchhud::cli
