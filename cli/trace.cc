// benchhud trace: what a trace file says, and what it looks like, without a store.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/trace_report.h"
#include "commands.h"
#include "ingest/trace_reader.h"
#include "memory.h"
#include "options.h"
#include "schema/trace_nesting.h"
#include "server/trace_json.h"
#include "serving.h"
#include "trace_text.h"
#include "trace_view.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using nlohmann::ordered_json;
using schema::ErrorCode;
using schema::Expected;

CommandLine command_line() {
  CommandLine command;
  command.usage =
      "benchhud trace summary FILE [option…]\n       benchhud trace report FILE [option…]\n"
      "       benchhud trace view FILE [--with FILE] [option…]";
  command.about =
      "Says what a Chrome trace holds (PyTorch's profiler, XProf and Chrome write such; gzip or\n"
      "plain): how busy the device was and why it waited, kernels by kind, launches, compiled\n"
      "regions, graph breaks and recompilations, and what that suggests to do. `report` says all "
      "of\n"
      "it: every kernel and operator, steps, queues, compilation by phase. `view` serves the trace "
      "as a\n"
      "timeline to the browser, until Ctrl-C, from a store of its own that is removed then. None\n"
      "needs a store.";
  add_format_option(&command.options, "text or json (keys and meanings: docs/traces.md)");
  auto add = command.options.add_options();
  add("with", po::value<std::string>()->value_name("FILE"),
      "view: another trace, beside the first on one axis");
  add_listen_options(&command.options, 0);
  add("no-open", po::bool_switch(), "view: only print the address");
  add_words(&command);
  return command;
}

int view(const po::variables_map& values, const std::string& file) {
  ViewRequest request;
  request.files.push_back(file);
  if (values.count("with")) request.files.push_back(values["with"].as<std::string>());
  const auto listen = listen_options(values);
  if (!listen) return fail(listen.error());
  request.listen = *listen;
  request.opens_browser = !values["no-open"].as<bool>();
  const auto done = view_traces(request);
  return done ? kDone : fail(done.error());
}

void print_json(const ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

int run_trace(const Arguments& arguments) {
  keep_memory();
  const ParsedCommandLine parsed = parse(command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const Arguments words = words_of(parsed.values);
  const bool is_known =
      !words.empty() && (words[0] == "summary" || words[0] == "report" || words[0] == "view");
  if (!is_known) {
    return fail({ErrorCode::kInvalidArgument,
                 words.empty() ? "`benchhud trace` needs to be told what to do: `summary FILE`"
                               : fmt::format("there is no `benchhud trace {}`", words[0])});
  }
  if (words.size() != 2) {
    return fail(
        {ErrorCode::kInvalidArgument, fmt::format("`benchhud trace {}` takes one file", words[0])});
  }
  if (words[0] == "view") return view(parsed.values, words[1]);
  const Expected<bool> as_json = wants_json(parsed.values);
  if (!as_json) return fail(as_json.error());
  const auto trace = ingest::read_trace(words[1]);
  if (!trace) return fail(trace.error());
  const schema::TraceNesting nesting = schema::nest(*trace);
  const bool is_summary = words[0] == "summary";
  if (*as_json && is_summary) {
    print_json(server::summary_json(*trace, nesting));
    return kDone;
  }
  const analysis::TraceReport report = analysis::trace_report(*trace, nesting);
  if (*as_json) {
    print_json(server::report_json(*trace, report));
    return kDone;
  }
  print_trace_summary(server::summary_json(*trace, nesting), report);
  if (!is_summary) print_trace_report(report);
  return kDone;
}

}  // namespace benchhud::cli
