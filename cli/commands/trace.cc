// benchhud trace: what a trace file says, and what it looks like, without a store; and a trace out
// of a store.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/documents/trace_json.h"
#include "analysis/documents/xla_json.h"
#include "analysis/trace/trace_report.h"
#include "cli/options/commands.h"
#include "cli/options/kernel_rules_option.h"
#include "cli/options/memory.h"
#include "cli/options/options.h"
#include "cli/output/trace_export.h"
#include "cli/output/trace_text.h"
#include "cli/output/xla_text.h"
#include "cli/serving/serving.h"
#include "cli/serving/trace_view.h"
#include "ingest/pipeline/trace_file.h"
#include "ingest/text/source_file.h"
#include "ingest/trace/trace_reader.h"
#include "trace/trace_nesting.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using nlohmann::ordered_json;
using schema::ErrorCode;
using schema::Expected;

CommandLine trace_command_line() {
  CommandLine command;
  command.usage =
      "benchhud trace summary FILE [option…]\n       benchhud trace report FILE [option…]\n"
      "       benchhud trace view FILE [--with FILE] [option…]\n"
      "       benchhud trace export TRACE [--begin NS] [--end NS] [--out FILE] [option…]";
  command.about =
      "Says what a trace holds, a Chrome trace (PyTorch's profiler, XProf and Chrome write such) "
      "or\n"
      "an XPlane profile of XLA (*.xplane.pb), plain or gzip: how busy the device was and why it "
      "waited, kernels by kind, launches, compiled\n"
      "regions, graph breaks and recompilations, and what that suggests to do. `report` says all "
      "of\n"
      "it: every kernel and operator, steps, queues, compilation by phase. `view` serves the trace "
      "as a\n"
      "timeline to the browser, until Ctrl-C, from a store of its own that is removed then. None "
      "of\n"
      "them needs a store. `export` writes a window of a trace in the store as a Chrome trace; "
      "TRACE "
      "is the\n"
      "number in its timeline's address. For `summary` and `report` FILE may be -, standard input, "
      "if it\n"
      "is a Chrome trace.";
  add_format_option(&command.options, "text or json (keys and meanings: docs/traces.md)");
  auto add = command.options.add_options();
  add("with", po::value<std::string>()->value_name("FILE"),
      "view: another trace, beside the first on one axis");
  add_listen_options(&command.options, 0);
  add("no-open", po::bool_switch(), "view: only print the address");
  add_store_option(&command.options);
  add_kernel_rules_option(&command.options);
  add("artifact", po::value<std::int64_t>()->value_name("ID"),
      "export: the trace of this dump, instead of TRACE");
  add("begin", po::value<std::int64_t>()->value_name("NS"),
      "export: from here on, counted from the first slice (all)");
  add("end", po::value<std::int64_t>()->value_name("NS"), "export: up to here (all)");
  add("tracks", po::value<std::string>()->value_name("N,N…"),
      "export: of these tracks, by their numbers (all)");
  add("out", po::value<std::string>()->value_name("FILE"),
      "export: into this file (standard output)");
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

template <class Value>
std::optional<Value> given(const po::variables_map& values, const char* option) {
  if (!values.count(option)) return std::nullopt;
  return values[option].as<Value>();
}

int export_window(const po::variables_map& values, const Arguments& words) {
  TraceExportRequest request;
  request.store = store_path(values);
  request.artifact = given<std::int64_t>(values, "artifact");
  if (words.size() == 2) {
    std::int64_t trace = 0;
    const char* const end = words[1].data() + words[1].size();
    const auto [behind, error] = std::from_chars(words[1].data(), end, trace);
    if (error != std::errc() || behind != end) {
      return fail(
          {ErrorCode::kInvalidArgument, fmt::format("{} is not the number of a trace", words[1])});
    }
    request.trace = trace;
  }
  if (words.size() > 2 || request.trace.has_value() == request.artifact.has_value()) {
    return fail({ErrorCode::kInvalidArgument,
                 "`benchhud trace export` takes the number of a trace, or --artifact"});
  }
  request.begin = given<std::int64_t>(values, "begin");
  request.end = given<std::int64_t>(values, "end");
  request.tracks = given<std::string>(values, "tracks");
  request.out = given<std::string>(values, "out");
  const auto done = export_trace(request);
  return done ? kDone : fail(done.error());
}

Expected<trace::Trace> read_file(const std::string& path) {
  if (path != "-") return ingest::read_trace_file(path);
  BENCHHUD_ASSIGN(ingest::SourceFile input, ingest::SourceFile::standard_input());
  return ingest::read_trace(std::move(input));
}

void print_json(const ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

int run_trace(const Arguments& arguments) {
  keep_memory();
  const ParsedCommandLine parsed = parse(trace_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  if (const auto used = use_kernel_rules(parsed.values); !used) return fail(used.error());
  const Arguments words = words_of(parsed.values);
  constexpr std::array<std::string_view, 4> kActions = {"summary", "report", "view", "export"};
  const bool is_known =
      !words.empty() && std::find(kActions.begin(), kActions.end(), words[0]) != kActions.end();
  if (!is_known) {
    return fail({ErrorCode::kInvalidArgument,
                 words.empty() ? "`benchhud trace` needs to be told what to do: `summary FILE`"
                               : fmt::format("there is no `benchhud trace {}`", words[0])});
  }
  if (words[0] == "export") return export_window(parsed.values, words);
  if (words.size() != 2) {
    return fail(
        {ErrorCode::kInvalidArgument, fmt::format("`benchhud trace {}` takes one file", words[0])});
  }
  if (words[0] == "view") return view(parsed.values, words[1]);
  const Expected<bool> as_json = wants_json(parsed.values);
  if (!as_json) return fail(as_json.error());
  const auto trace = read_file(words[1]);
  if (!trace) return fail(trace.error());
  const trace::TraceNesting nesting = trace::nest(*trace);
  const bool is_summary = words[0] == "summary";
  if (*as_json && is_summary) {
    print_json(analysis::summary_json(*trace, nesting));
    return kDone;
  }
  const analysis::TraceReport report = analysis::trace_report(*trace, nesting);
  if (*as_json) {
    print_json(analysis::report_json(*trace, report));
    return kDone;
  }
  print_trace_summary(analysis::summary_json(*trace, nesting), report, trace->memory);
  if (!is_summary) {
    print_trace_report(report);
    print_xla_report(analysis::xla_json(*trace, report));
  }
  return kDone;
}

}  // namespace benchhud::cli
