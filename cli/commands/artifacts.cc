// benchhud artifacts: lists what the runner left beside its results, and prints one.

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/commands.h"
#include "cli/options/named_result.h"
#include "cli/options/options.h"
#include "schema/base/time.h"
#include "schema/results/reader.h"
#include "schema/results/torch_trace_store.h"
#include "schema/store/store.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using schema::Artifact;
using schema::ArtifactFilter;
using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::Reader;

CommandLine artifacts_command_line() {
  CommandLine command;
  command.usage = "benchhud artifacts list [RUN | RESULT] [option…] | show ID";
  command.about =
      "  list           dumps, newest first; of a run or a result only, if one is named\n"
      "  show ID        the text of a dump, whole, as the runner wrote it; of a log of\n"
      "                 TORCH_TRACE its compilations\n\n"
      "RUN is an id, a name, the unique beginning of a name, or `latest`; RESULT is\n"
      "RUN/EXPERIMENT or RUN/MODEL/TEST/BACKEND[/BATCH SIZE].";
  add_store_option(&command.options);
  auto add = command.options.add_options();
  add("kind", po::value<std::string>()->value_name("KIND"),
      "trace, operator_table, dynamo_counters, xla_metrics, ir, compile_times, xplane or "
      "torch_trace");
  add("orphaned", "only dumps that belong to no result");
  add("limit", count_value("limit", 200)->value_name("N"), "no more than so many (default 200)");
  add_format_option(&command.options);
  add_words(&command);
  return command;
}

Expected<ArtifactFilter> asked(Connection& store, const po::variables_map& values,
                               const Arguments& words) {
  ArtifactFilter filter;
  filter.limit = static_cast<std::size_t>(values["limit"].as<std::int64_t>());
  filter.only_orphans = values.count("orphaned") > 0;
  if (values.count("kind")) {
    const auto name = values["kind"].as<std::string>();
    filter.kind = schema::artifact_kind_of(name);
    if (!filter.kind) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("there is no kind {}", name)};
    }
  }
  if (words.size() < 2) return filter;
  if (words[1].find('/') != std::string::npos) {
    BENCHHUD_ASSIGN(filter.result, find_result(store, words[1]));
  } else {
    BENCHHUD_ASSIGN(const schema::Run run, Reader(store).find_run(words[1]));
    filter.run = run.id;
  }
  return filter;
}

Json to_json(const Artifact& artifact) {
  Json results = Json::array();
  for (const schema::ArtifactResult& result : artifact.results) {
    results.push_back({{"run", to_int(result.run)}, {"experiment", to_int(result.experiment)}});
  }
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"id", to_int(artifact.id)},
          {"kind", artifact_kind_name(artifact.kind)},
          {"name", artifact.name},
          {"path", artifact.path},
          {"repetition", or_null(artifact.repetition)},
          {"byte_count", artifact.byte_count},
          {"content_hash", artifact.content_hash},
          {"ingested_at", schema::format_time(artifact.ingested_at)},
          {"problem_count", artifact.problem_count},
          {"unreadable", or_null(artifact.error)},
          {"superseded", artifact.is_superseded},
          {"results", std::move(results)}};
}

std::string remark(const Artifact& artifact) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (artifact.results.empty()) add("orphaned");
  if (artifact.results.size() > 1) add(fmt::format("shared by {}", artifact.results.size()));
  if (artifact.is_superseded) add("superseded");
  if (artifact.error) add("unreadable: " + printable(*artifact.error));
  if (artifact.problem_count > 0) add(fmt::format("{} problems", artifact.problem_count));
  return text;
}

Expected<void> list(Connection& store, const po::variables_map& values, const Arguments& words) {
  BENCHHUD_ASSIGN(const bool as_json, wants_json(values));
  BENCHHUD_ASSIGN(const ArtifactFilter filter, asked(store, values, words));
  BENCHHUD_ASSIGN(const std::vector<Artifact> artifacts, Reader(store).artifacts(filter));
  if (as_json) {
    Json json = Json::array();
    for (const Artifact& artifact : artifacts) json.push_back(to_json(artifact));
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return {};
  }
  if (artifacts.empty()) {
    fmt::print("there are none\n");
    return {};
  }
  fmt::print("{:>6}  {:<16}  {:>12}  {}\n", "id", "kind", "bytes", "name");
  for (const Artifact& artifact : artifacts) {
    const std::string about = remark(artifact);
    fmt::print("{:>6}  {:<16}  {:>12}  {}{}\n", to_int(artifact.id),
               artifact_kind_name(artifact.kind), artifact.byte_count, printable(artifact.name),
               about.empty() ? "" : "  (" + about + ")");
  }
  return {};
}

// Beside a time stand restarts, breaks and other things that a person looks for.
std::string facts_of(const schema::Compilation& one) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  const auto add_reasons = [&](const std::string& list, std::string_view what) {
    const Json reasons = Json::parse(list, nullptr, false);
    for (const Json& reason : reasons) {
      add(fmt::format("{}: {}", what, printable(reason.get<std::string>())));
    }
  };
  if (one.occurrence > 1) {
    add(fmt::format("occurrence {} of this id in the log", one.occurrence));
  }
  if (one.fail_type) {
    add("failed: " + printable(*one.fail_type) +
        (one.fail_reason ? ": " + printable(*one.fail_reason) : ""));
  }
  add_reasons(one.restarts, "restarted");
  add_reasons(one.graph_breaks, "graph break");
  add_reasons(one.recompiles, "recompiled");
  for (const Json& cache : Json::parse(one.caches, nullptr, false)) {
    add(fmt::format("{} cache {}", printable(cache["cache"].get<std::string>()),
                    cache["outcome"].get<std::string>()));
  }
  return text;
}

std::string frame_of(const schema::Compilation& one) {
  if (!one.frame_name) return "unknown";
  std::string text = printable(*one.frame_name);
  if (one.frame_file) text += " (" + printable(*one.frame_file);
  if (one.frame_file && one.frame_line) text += fmt::format(":{}", *one.frame_line);
  return one.frame_file ? text + ")" : text;
}

// As the pages and PyTorch's logs have it: "[0/1_2]".
std::string id_of(const schema::Compilation& one) {
  return fmt::format("[{}{}]", printable(one.compile_id),
                     one.attempt > 0 ? fmt::format("_{}", one.attempt) : "");
}

Expected<void> show_compilations(Connection& store, schema::ArtifactId id) {
  BENCHHUD_ASSIGN(const auto log, schema::torch_trace_of(store, id));
  if (!log) return Error{ErrorCode::kUnsupported, "nothing of this log was kept"};
  fmt::print("{}{} records, {} compilations\n",
             log->rank ? fmt::format("rank {}: ", *log->rank) : "", log->record_count,
             log->compilation_count);
  fmt::print("{:<12}  {:>10}  {:>7}  {}\n", "compile id", "s", "guards", "frame");
  constexpr std::size_t kAtOnce = 1000;
  std::int64_t last = -1;
  for (;;) {
    BENCHHUD_ASSIGN(const auto found, schema::compilations_of(store, id, last, kAtOnce));
    for (const auto& [ordinal, one] : found) {
      const std::string facts = facts_of(one);
      fmt::print("{:<12}  {:>10}  {:>7}  {}{}\n", id_of(one),
                 one.seconds ? fmt::format("{:.6f}", *one.seconds) : "unknown",
                 one.guard_count ? fmt::format("{}", *one.guard_count) : "unknown", frame_of(one),
                 facts.empty() ? "" : "  " + facts);
      last = ordinal;
    }
    if (found.size() < kAtOnce) break;
  }
  for (const schema::DumpProblem& problem : log->problems) {
    fmt::print("line {}: {}\n", problem.line, printable(problem.reason));
  }
  return {};
}

Expected<void> show(Connection& store, const Arguments& words) {
  std::int64_t id = 0;
  if (words.size() != 2 || !(id = std::atoll(words[1].c_str()))) {
    return Error{ErrorCode::kInvalidArgument, "`benchhud artifacts show` needs a dump's id"};
  }
  Reader reader(store);
  BENCHHUD_ASSIGN(const Artifact artifact, reader.artifact(schema::ArtifactId(id)));
  if (artifact.kind == schema::ArtifactKind::kTorchTrace) {
    return show_compilations(store, artifact.id);
  }
  if (!artifact.text) {
    return Error{ErrorCode::kUnsupported,
                 artifact.trace ? "a trace is kept as columns, not as text: "
                                  "`benchhud trace` reads its file, the pages show it"
                                : "nothing of this dump was kept: " + artifact.error.value_or("")};
  }
  BENCHHUD_ASSIGN(const std::string text, reader.text(*artifact.text));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

}  // namespace

int run_artifacts(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(artifacts_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const Arguments words = words_of(parsed.values);
  if (words.empty() || (words[0] != "list" && words[0] != "show") || words.size() > 2) {
    return fail(
        {ErrorCode::kInvalidArgument,
         "`benchhud artifacts` needs to be told what to do: `list [RUN | RESULT]`, `show ID`"});
  }
  auto store = schema::open_store_for_reading(store_path(parsed.values));
  if (!store) return fail(store.error());
  const Expected<void> done =
      words[0] == "list" ? list(*store, parsed.values, words) : show(*store, words);
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
