// What a monitoring system asks for every few seconds, in Prometheus' text format.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>
#include <tuple>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_list.h"
#include "schema/base/utf8.h"
#include "schema/model/types.h"
#include "server/http/http_counters.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using schema::DetectedState;
using schema::Expected;
using schema::TriageState;

/// A label's value: \, " and line ends are escaped (Prometheus' exposition format, version 0.0.4),
/// and bytes that are no UTF-8 replaced.
std::string label_value(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : schema::to_valid_utf8(text)) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped + "\"";
}

/// Writes families of metrics: the head once, then a sample a line.
class Exposition {
 public:
  explicit Exposition(std::string* out) : out_(*out) {}

  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  }
  void sample(double value, std::string_view labels = {}) {
    out_ += fmt::format("{}{} {}\n", name_, labels, value);
  }
  /// A family of one sample.
  void one(std::string_view name, std::string_view type, std::string_view help, double value) {
    family(name, type, help);
    sample(value);
  }

 private:
  std::string& out_;
  std::string name_;
};

std::string group_labels(const std::string& model, const analysis::RunGroup& group,
                         std::string_view more = {}) {
  return fmt::format("{{accelerator_model={},test={},backend={}{}}}", label_value(model),
                     label_value(group.test), label_value(group.backend), more);
}

/// Bytes of memory that the program holds.
std::optional<double> resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return {};
  long pages = 0;
  const int read = std::fscanf(file, "%*d %ld", &pages);
  std::fclose(file);
  if (read != 1) return {};
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void write_http(Exposition& out, const HttpCounters& http) {
  out.one("benchhud_http_connections_total", "counter", "Connections that were accepted.",
          static_cast<double>(http.connections));
  out.one("benchhud_http_connections_open", "gauge", "Connections that are open.",
          static_cast<double>(http.open));
  out.family("benchhud_http_responses_total", "counter", "Answers, by class of their status.");
  for (std::size_t i = 1; i < http.answers.size(); ++i) {
    out.sample(static_cast<double>(http.answers[i]), fmt::format("{{code=\"{}xx\"}}", i));
  }
  out.one("benchhud_http_refused_total", "counter",
          "Requests that were refused before anybody looked what they ask for.",
          static_cast<double>(http.refusals));
  out.one("benchhud_http_crowded_out_total", "counter",
          "Connections that were closed to make place for others.",
          static_cast<double>(http.crowded_out));
  out.one("benchhud_log_lines_dropped_total", "counter",
          "Lines of the request log that were dropped because nobody read it in time.",
          static_cast<double>(http.log_lines_dropped));
}

Expected<void> write_store(Exposition& out, RequestContext& context) {
  const service::Snapshot& snapshot = context.snapshot();
  BENCHHUD_ASSIGN(const std::int64_t rejected, context.reader().rejected_count({}));
  out.one("benchhud_store_changes_total", "counter", "Committed changes of the store.",
          static_cast<double>(snapshot.revision));
  out.one("benchhud_store_runs", "gauge", "Runs in the store.",
          static_cast<double>(snapshot.runs.size()));
  out.one("benchhud_store_results", "gauge", "Results in the store.",
          static_cast<double>(snapshot.result_count));
  out.one("benchhud_store_rejected_lines", "gauge", "Lines that could not be taken in.",
          static_cast<double>(rejected));
  BENCHHUD_ASSIGN(const auto alerts,
                  schema::alert_counts(context.reader().connection(), context.now));
  // All that there can be, so that a rule sees a zero where there is nothing.
  std::map<std::pair<DetectedState, TriageState>, std::int64_t> counts;
  for (const auto detected : {DetectedState::kSuspect, DetectedState::kConfirmed}) {
    for (const auto triage :
         {TriageState::kOpen, TriageState::kAcknowledged, TriageState::kInvestigating,
          TriageState::kFixed, TriageState::kWontFix, TriageState::kInvalid,
          TriageState::kInfrastructure}) {
      counts[{detected, triage}] = 0;
    }
  }
  std::int64_t muted = 0;
  for (const auto& one : alerts) {
    (one.is_muted ? muted : counts[{one.detected, one.triage}]) += one.count;
  }
  out.family("benchhud_alerts", "gauge",
             "Alerts that are neither over nor muted, by how sure they are and what people made of "
             "them.");
  for (const auto& [states, count] : counts) {
    out.sample(static_cast<double>(count),
               fmt::format("{{detected={},triage={}}}",
                           label_value(schema::detected_state_name(states.first)),
                           label_value(schema::triage_state_name(states.second))));
  }
  out.one("benchhud_alerts_muted", "gauge", "Alerts that are muted and neither over nor decided.",
          static_cast<double>(muted));
  return {};
}

Expected<void> write_newest_runs(Exposition& out, RequestContext& context) {
  std::vector<std::pair<std::string, std::shared_ptr<const analysis::RunSummary>>> newest;
  out.family("benchhud_newest_run_timestamp_seconds", "gauge",
             "When the newest run of an accelerator model began.");
  for (const auto& [model, places] : context.snapshot().accelerators) {
    const service::RunEntry& entry = context.snapshot().runs[places.front()];
    out.sample(entry.run.started_at, fmt::format("{{accelerator_model={}}}", label_value(model)));
    BENCHHUD_ASSIGN(auto summary, context.analyses.summary(context.view, entry, kUsualBaseline));
    newest.emplace_back(model, std::move(summary));
  }
  const auto each = [&](const auto& write) {
    for (const auto& [model, summary] : newest) {
      for (const analysis::RunGroup& group : summary->groups) write(model, group);
    }
  };
  out.family("benchhud_run_results", "gauge",
             "Results of the newest run, by what the last verification said of them.");
  each([&](const std::string& model, const analysis::RunGroup& group) {
    for (const auto& [name, count] :
         {std::pair("passing", group.passing), std::pair("failing", group.failing),
          std::pair("undecided", group.undecided), std::pair("unverified", group.unverified)}) {
      out.sample(static_cast<double>(count),
                 group_labels(model, group, fmt::format(",verification=\"{}\"", name)));
    }
  });
  out.family("benchhud_run_results_timed", "gauge", "Results of the newest run with timings.");
  each([&](const std::string& model, const analysis::RunGroup& group) {
    out.sample(static_cast<double>(group.timed), group_labels(model, group));
  });
  out.family("benchhud_run_results_failed", "gauge", "Results of the newest run that failed.");
  each([&](const std::string& model, const analysis::RunGroup& group) {
    out.sample(static_cast<double>(group.failed), group_labels(model, group));
  });
  out.family("benchhud_run_speedup_geomean", "gauge",
             "Geometric mean over models of the newest run's speedups against inductor.");
  each([&](const std::string& model, const analysis::RunGroup& group) {
    if (group.all && group.all->value) out.sample(*group.all->value, group_labels(model, group));
  });
  out.family("benchhud_run_speedup_geomean_bound", "gauge",
             "The ends of its interval, which holds it in 95 cases of 100.");
  each([&](const std::string& model, const analysis::RunGroup& group) {
    if (!group.all || !group.all->interval) return;
    out.sample(group.all->interval->low, group_labels(model, group, ",bound=\"low\""));
    out.sample(group.all->interval->high, group_labels(model, group, ",bound=\"high\""));
  });
  out.family("benchhud_run_compile_seconds_median", "gauge",
             "Median over models of the newest run's compile times.");
  each([&](const std::string& model, const analysis::RunGroup& group) {
    if (group.compile) out.sample(group.compile->median, group_labels(model, group));
  });
  return {};
}

Expected<std::string> write_exposition(RequestContext& context) {
  std::string body;
  Exposition out(&body);
  out.family("benchhud_build_info", "gauge", "The program's version.");
  out.sample(1, fmt::format("{{version={}}}", label_value(context.version)));
  if (const auto bytes = resident_bytes()) {
    out.one("process_resident_memory_bytes", "gauge", "Memory that the program holds.", *bytes);
  }
  if (context.http != nullptr) write_http(out, *context.http);
  BENCHHUD_TRY(write_store(out, context));
  BENCHHUD_TRY(write_newest_runs(out, context));
  return body;
}

Expected<ResponsePlan> get_metrics(RequestContext& context) {
  ResponsePlan plan{"", [&context] { return write_exposition(context); }};
  plan.content_type = "text/plain; version=0.0.4; charset=utf-8";
  plan.is_fleeting = true;
  return plan;
}

}  // namespace

std::span<const NamedRoute> metrics_routes() {
  static constexpr std::array routes = {NamedRoute{"getMetrics", get_metrics}};
  return routes;
}

}  // namespace benchhud::server
