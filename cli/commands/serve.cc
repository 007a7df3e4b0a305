// benchhud serve: the API and the pages.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "cli/options/commands.h"
#include "cli/options/kernel_rules_option.h"
#include "cli/options/options.h"
#include "cli/options/stop_signal.h"
#include "cli/serving/serving.h"
#include "schema/store/store.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;

constexpr int kUsualPort = 8080;

CommandLine serve_command_line() {
  CommandLine command;
  command.usage = "benchhud serve [option…]";
  command.about =
      "Serves the pages and the REST API (/api/v1) of a store. A store that is not there is made, "
      "empty;\n"
      "what is ingested while the server runs shows at once. Ctrl-C stops it.";
  add_store_option(&command.options);
  add_kernel_rules_option(&command.options);
  add_listen_options(&command.options, kUsualPort);
  auto add = command.options.add_options();
  add("reading", po::value<std::string>()->default_value("open")->value_name("WHO"),
      "who may read: open, whoever reaches the server; or token, who holds one (`benchhud "
      "tokens`). "
      "To change something always takes a token");
  add("no-code", po::bool_switch(),
      "print no address that signs a browser in, which is done where only this machine is listened "
      "to");
  add("log", po::value<std::string>()->default_value("none")->value_name("FORMAT"),
      "a line for each request on standard error: text, json or none");
  add("threads", po::value<unsigned>()->default_value(32),
      "how many requests are answered at once; a connection that waits holds none");
  return command;
}

}  // namespace

int run_serve(const Arguments& arguments) {
  const auto parsed = parse(serve_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  if (const auto used = use_kernel_rules(parsed.values); !used) return fail(used.error());
  const auto& values = parsed.values;
  auto options = listen_options(values);
  if (!options) return fail(options.error());
  options->threads = values["threads"].as<unsigned>();
  if (options->threads < 1 || options->threads > 1024) {
    return fail({schema::ErrorCode::kInvalidArgument, "--threads must be between 1 and 1024"});
  }
  const auto log = server::log_format_of(values["log"].as<std::string>());
  if (!log) return fail({schema::ErrorCode::kInvalidArgument, "--log is text, json or none"});
  if (*log != server::LogFormat::kNone) {
    options->log = std::make_shared<server::RequestLog>(*log, STDERR_FILENO);
  }
  const std::string& who_reads = values["reading"].as<std::string>();
  if (who_reads != "open" && who_reads != "token") {
    return fail({schema::ErrorCode::kInvalidArgument, "--reading is open or token"});
  }
  hold_stop_signals();
  const std::string path = store_path(values);
  {
    const auto store = schema::open_store(path);
    // One that may only be read is served all the same, if it can be.
    const bool may_be_readable = !store && (store.error().code == schema::ErrorCode::kReadOnly ||
                                            store.error().code == schema::ErrorCode::kFull ||
                                            store.error().code == schema::ErrorCode::kIo);
    if (may_be_readable) {
      const auto readable = schema::open_store_for_reading(path);
      if (!readable) return fail(readable.error());
    } else if (!store && store.error().code != schema::ErrorCode::kBusy) {
      return fail(store.error());
    }
  }
  const ServeRequest request{
      path, *options, who_reads == "open" ? server::Reading::kOpen : server::Reading::kByToken,
      !values["no-code"].as<bool>()};
  const auto counts = serve_store(request, [&](const ServedAt& where) {
    fmt::print("benchhud serves {} on {}\n", printable(path), where.pages);
    if (!where.sign_in.empty()) {
      fmt::print("sign a browser in, once, within an hour, with {}\n", where.sign_in);
    }
    std::fflush(stdout);
  });
  if (!counts) return fail(counts.error());
  // Not where the reader of a pipe has stopped reading: the program would wait for it.
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&output, 1, 0) <= 0 || (output.revents & POLLOUT) == 0) return kDone;
  fmt::print("stopped after {} requests on {} connections, {} refused\n",
             (*counts)->requests.load(), (*counts)->connections.load(), (*counts)->refusals.load());
  return kDone;
}

}  // namespace benchhud::cli
