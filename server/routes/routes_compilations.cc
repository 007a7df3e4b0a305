// Logs of TORCH_TRACE: the compilations that they record, the texts that these put out, and what
// differs between two nights.
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "schema/base/utf8.h"
#include "schema/results/torch_trace_store.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/answers/compilation_logs.h"
#include "views/compilation_json.h"

namespace benchhud::server {
namespace {

using schema::ArtifactId;
using schema::Expected;

// A page ends once it has so many bytes: stacks, reasons and outputs may be long.
constexpr std::size_t kLongestPage = std::size_t{4} << 20;

constexpr std::size_t kBytesOfOutput = 150;

// About what its lists take, which may be long.
std::size_t size_of(const schema::Compilation& one) {
  return one.phases.size() + one.restarts.size() + one.graph_breaks.size() + one.recompiles.size() +
         one.caches.size() + one.fail_reason.value_or("").size();
}

struct AskedLog {
  ArtifactId id{};
  schema::TorchTraceSummary summary;
};

Expected<AskedLog> asked_log(RequestContext& context) {
  AskedLog asked{ArtifactId{context.query.integer("id")}, {}};
  const auto artifact = context.reader().artifact(asked.id);
  if (!artifact) {
    context.wrong_parameter = "id";
    return artifact.error();
  }
  BENCHHUD_ASSIGN(auto summary, schema::torch_trace_of(context.reader().connection(), asked.id));
  if (!summary) {
    return wrong_parameter(context, "id",
                           artifact->kind == schema::ArtifactKind::kTorchTrace
                               ? "Nothing of this log could be kept."
                               : "This dump is no log of TORCH_TRACE.");
  }
  asked.summary = *std::move(summary);
  return asked;
}

Expected<void> write_compilations(RequestContext& context, schema::JsonWriter& json,
                                  const AskedLog& asked, const std::optional<Cursor>& cursor) {
  schema::Connection& connection = context.reader().connection();
  const std::size_t limit = context.query.size("limit");
  BENCHHUD_ASSIGN(auto found, schema::compilations_of(connection, asked.id,
                                                      cursor ? cursor->numbers[0] : -1, limit + 1));
  begin_page(json);
  std::size_t written = 0, bytes = 0;
  for (const schema::StoredCompilation& one : found) {
    if (written == limit || bytes > kLongestPage) break;
    std::string stack;
    if (one.compilation.stack) {
      BENCHHUD_ASSIGN(stack, context.reader().text(*one.compilation.stack));
    }
    BENCHHUD_ASSIGN(const auto outputs, schema::outputs_of(connection, asked.id, one.ordinal,
                                                           schema::kMostListedOutputs));
    BENCHHUD_ASSIGN(const std::int64_t output_count,
                    schema::output_count_of(connection, asked.id, one.ordinal));
    views::write_compilation(json, one, stack, outputs, output_count);
    bytes += stack.size() + size_of(one.compilation);
    for (const auto& [ordinal, output] : outputs) bytes += output.name.size() + kBytesOfOutput;
    ++written;
  }
  std::optional<std::string> next;
  if (written < found.size()) {
    next = make_cursor(cursor_scope(context), {found[written - 1].ordinal});
  }
  end_page(json, next, asked.summary.compilation_count);
  return {};
}

Expected<ResponsePlan> list_compilations(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 1));
  BENCHHUD_ASSIGN(AskedLog asked, asked_log(context));
  return ResponsePlan{revision_key(context),
                      [&context, asked = std::move(asked), cursor](schema::JsonWriter& json) {
                        return write_compilations(context, json, asked, cursor);
                      }};
}

Expected<ResponsePlan> get_compilation_text(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedLog asked, asked_log(context));
  auto output =
      schema::output_at(context.reader().connection(), asked.id, context.query.integer("output"));
  if (!output) {
    context.wrong_parameter = "output";
    return output.error();
  }
  if (!output->output.text) {
    return wrong_parameter(context, "output", "This text is too long to be kept.");
  }
  const std::size_t offset = context.query.size("offset");
  const std::size_t length =
      context.query.has("length") ? context.query.size("length") : std::string::npos;
  return ResponsePlan{
      revision_key(context),
      [&context, text = *output->output.text, offset, length]() -> Expected<std::string> {
        BENCHHUD_ASSIGN(const std::string bytes, context.reader().text(text));
        return schema::to_valid_utf8(schema::whole_characters(bytes, offset, length));
      },
      "text/plain; charset=utf-8"};
}

// The last run before a result's in which its experiment has a log; null where there is none.
Expected<const service::RunEntry*> last_logged_run(RequestContext& context,
                                                   const AskedResult& result) {
  BENCHHUD_ASSIGN(const auto found,
                  schema::runs_with_torch_trace(context.reader().connection(), result.entry->id()));
  const std::set<schema::RunId> logged(found.begin(), found.end());
  const service::Snapshot& snapshot = context.snapshot();
  for (const service::RunEntry* run = snapshot.before(*result.run); run != nullptr;
       run = snapshot.before(*run)) {
    if (!logged.contains(run->run.id)) continue;
    BENCHHUD_ASSIGN(const bool has_log, service::has_compilation_log(
                                            context.reader(), {run->run.id, result.entry->id()}));
    if (has_log) return run;
  }
  return nullptr;
}

/// Two nights of an experiment, and what differs between their logs.
struct ComparedNights {
  const service::RunEntry* before = nullptr;  ///< null: there is no such night
  service::CompilationLogsDiff diff;          ///< without pairs where there is a log of one alone
};

Expected<ComparedNights> compare_nights(RequestContext& context, const AskedResult& result,
                                        const std::optional<AskedResult>& chosen) {
  ComparedNights nights;
  nights.before = chosen ? chosen->run : nullptr;
  const schema::ArtifactResult after{result.run->run.id, result.entry->id()};
  BENCHHUD_ASSIGN(const bool has_log, service::has_compilation_log(context.reader(), after));
  if (!has_log)
    nights.diff.unknown.emplace_back("Of the later result no log of TORCH_TRACE is kept.");
  if (!chosen && has_log) {
    BENCHHUD_ASSIGN(nights.before, last_logged_run(context, result));
    if (nights.before == nullptr) {
      nights.diff.unknown.emplace_back(
          "Of no earlier run a log of TORCH_TRACE of this experiment is kept.");
    }
  }
  if (nights.before == nullptr) return nights;
  const schema::ArtifactResult before{nights.before->run.id,
                                      (chosen ? *chosen : result).entry->id()};
  bool had_log = true;
  if (chosen) {
    BENCHHUD_ASSIGN(had_log, service::has_compilation_log(context.reader(), before));
  }
  if (!had_log) {
    nights.diff.unknown.emplace_back("Of the earlier result no log of TORCH_TRACE is kept.");
  }
  if (!has_log || !had_log) return nights;
  BENCHHUD_ASSIGN(nights.diff, service::diff_of_compilations(context.reader(), before, after));
  return nights;
}

void write_compared_logs(schema::JsonWriter& json, const service::CompilationLogPair& pair) {
  const auto write_log = [&](std::string_view key, const schema::Artifact& artifact,
                             const analysis::CompilationCounts& counts) {
    json.key(key);
    json.begin_object();
    json.field("artifact", to_int(artifact.id));
    json.field("name", artifact.name);
    json.key("counts");
    views::write_compilation_counts(json, counts);
    json.end_object();
  };
  json.begin_object();
  json.field("rank", pair.rank);
  write_log("before", pair.before, pair.diff.before);
  write_log("after", pair.after, pair.diff.after);
  json.key("unknown");
  json.list(pair.diff.unknown, [&](const std::string& sentence) { json.value(sentence); });
  json.end_object();
}

void write_compared_nights(schema::JsonWriter& json, const ComparedNights& nights,
                           std::size_t most) {
  const service::CompilationLogsDiff& diff = nights.diff;
  json.begin_object();
  json.key("before");
  views::write_run_ref(json, nights.before);
  json.key("sentence");
  if (diff.pairs.empty()) {
    json.null();
  } else {
    json.value(service::compilation_sentence(diff));
  }
  json.key("logs");
  json.list(diff.pairs,
            [&](const service::CompilationLogPair& pair) { write_compared_logs(json, pair); });
  json.key("changes");
  json.begin_array();
  std::size_t count = 0;
  for (const service::CompilationLogPair& pair : diff.pairs) {
    for (const analysis::CompilationChange& change : pair.diff.changes) {
      if (count++ < most) views::write_compilation_change(json, change, &pair);
    }
  }
  json.end_array();
  json.field("change_count", count);
  json.key("unknown");
  json.list(diff.unknown, [&](const std::string& sentence) { json.value(sentence); });
  json.end_object();
}

Expected<ResponsePlan> get_compilation_changes(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedResult result, asked_result(context));
  std::optional<AskedResult> before;
  if (context.query.has("before")) {
    const bool is_other = context.query.has("before_experiment");
    BENCHHUD_ASSIGN(before,
                    asked_result(context, "before", is_other ? "before_experiment" : "experiment"));
  } else if (context.query.has("before_experiment")) {
    return wrong_parameter(context, "before_experiment",
                           "The earlier result is of a run: give `before`.");
  }
  ResponsePlan plan{revision_key(context),
                    [&context, result, before](schema::JsonWriter& json) -> Expected<void> {
                      BENCHHUD_ASSIGN(ComparedNights nights,
                                      compare_nights(context, result, before));
                      write_compared_nights(json, std::move(nights), context.query.size("limit"));
                      return {};
                    }};
  plan.csv_rows = "changes";
  return plan;
}

}  // namespace

std::span<const NamedRoute> compilation_routes() {
  static constexpr std::array routes = {
      NamedRoute{"getCompilationChanges", get_compilation_changes, Lane::kDumps},
      NamedRoute{"listCompilations", list_compilations, Lane::kDumps},
      NamedRoute{"getCompilationText", get_compilation_text, Lane::kDumps}};
  return routes;
}

}  // namespace benchhud::server
