// benchhud serve: the API and the pages.
#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "commands.h"
#include "options.h"
#include "schema/store.h"
#include "server/app.h"
#include "server/http.h"
#include "server/static_files.h"
#include "server/warmer.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;

CommandLine command_line() {
  CommandLine command;
  command.usage = "benchhud serve [option…]";
  command.about =
      "Serves the pages and the REST API (/api/v1) of a store. A store that is not there is made, "
      "empty;\n"
      "what is ingested while the server runs shows at once. Ctrl-C stops it.";
  add_store_option(&command.options);
  auto add = command.options.add_options();
  add("host", po::value<std::string>()->default_value("127.0.0.1"),
      "the address to listen on; 0.0.0.0 lets other machines in");
  add("port", po::value<int>()->default_value(8080), "the port; 0 takes one that is free");
  add("allow-writes", po::bool_switch(),
      "lets all who reach the server act on alerts and mark nights, whoever they say they are: "
      "there are no passwords or tokens yet. Without it they may where --host is a loopback "
      "address "
      "(127.0.0.1), and elsewhere nobody may");
  add("threads", po::value<unsigned>()->default_value(32),
      "how many connections are served at once");
  return command;
}

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

/// Serves until SIGINT or SIGTERM comes. Signals are taken by a thread of their own, so that no
/// handler has to be safe at any moment.
void serve_until_signal(server::HttpServer& http) {
  const sigset_t signals = stop_signals();
  std::thread waiting([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    http.stop();
  });
  http.run();
  // The server may have ended by itself; then the signal is ours to send.
  pthread_kill(waiting.native_handle(), SIGTERM);
  waiting.join();
}

std::string start_stamp() {
  return std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
}

/// A host as it stands in an address.
std::string in_url(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

int run_serve(const Arguments& arguments) {
  const auto parsed = parse(command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto& values = parsed.values;
  server::HttpOptions options;
  options.host = values["host"].as<std::string>();
  options.port = values["port"].as<int>();
  options.threads = values["threads"].as<unsigned>();
  if (options.port < 0 || options.port > 65535 || options.threads < 1 || options.threads > 1024) {
    return fail({schema::ErrorCode::kInvalidArgument,
                 "--port must be between 0 and 65535, --threads between 1 and 1024"});
  }

  // Before any thread starts, so that all inherit it.
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  const std::string path = store_path(values);
  {
    const auto store = schema::open_store(path);
    if (!store && store.error().code != schema::ErrorCode::kReadOnly &&
        store.error().code != schema::ErrorCode::kBusy) {
      return fail(store.error());
    }
  }
  server::AppOptions app_options;
  app_options.store_path = path;
  app_options.version = BENCHHUD_VERSION;
  app_options.instance = start_stamp();
  if (values["allow-writes"].as<bool>()) {
    app_options.changes = server::Changes::kFromAnywhere;
  } else if (server::is_loopback(options.host)) {
    app_options.changes = server::Changes::kFromThisMachine;
  }
  server::App app(std::move(app_options), server::built_in_pages());
  auto http =
      server::HttpServer::bind(options, [&app](const server::Request& r) { return app.handle(r); });
  if (!http) return fail(http.error());
  const server::Warmer warmer(app, path);
  fmt::print("benchhud serves {} on http://{}:{}/\n", printable(path), in_url(options.host),
             http->port());
  std::fflush(stdout);
  serve_until_signal(*http);
  const auto counts = http->counts();
  fmt::print("stopped after {} requests on {} connections, {} refused\n", counts.requests,
             counts.connections, counts.refusals);
  return kDone;
}

}  // namespace benchhud::cli
