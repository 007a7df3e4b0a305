#include "views/artifact_json.h"

#include <array>
#include <utility>
#include <variant>

#include "analysis/profiles/dynamo_counters.h"
#include "views/answers.h"
#include "views/compilation_json.h"

namespace benchhud::views {

using analysis::ProfileChange;
using schema::to_int;

namespace {

using schema::ArtifactKind;

// Where the contract's ArtifactContent has what is in a dump of a kind.
constexpr std::array kContents = {
    std::pair(ArtifactKind::kOperatorTable, "operator_tables"),
    std::pair(ArtifactKind::kXlaMetrics, "xla_metrics"),
    std::pair(ArtifactKind::kDynamoCounters, "dynamo_counters"),
    std::pair(ArtifactKind::kIr, "ir_modules"),
    std::pair(ArtifactKind::kCompileTimes, "compile_times"),
    std::pair(ArtifactKind::kTrace, "trace"),
};

void write_histogram(schema::JsonWriter& json, std::string_view key,
                     const schema::IrHistogram& histogram) {
  json.key(key);
  json.list(histogram, [&](const auto& entry) {
    json.begin_object();
    json.field("name", entry.first);
    json.field("count", entry.second);
    json.end_object();
  });
}

std::string_view kind_name(schema::OperatorColumn::Kind kind) {
  using Kind = schema::OperatorColumn::Kind;
  switch (kind) {
    case Kind::kText:
      return "text";
    case Kind::kTime:
      return "ns";
    case Kind::kPercent:
      return "percent";
    case Kind::kBytes:
      return "bytes";
    case Kind::kNumber:
      return "number";
  }
  return "text";
}

std::string_view kind_name(schema::MetricValue::Kind kind) {
  using Kind = schema::MetricValue::Kind;
  switch (kind) {
    case Kind::kTime:
      return "ns";
    case Kind::kBytes:
      return "bytes";
    case Kind::kNumber:
      return "number";
  }
  return "number";
}

void write_metric_value(schema::JsonWriter& json, const schema::MetricValue& value) {
  json.begin_object();
  json.field("unit", kind_name(value.kind));
  json.field("value", value.value);
  json.field("text", value.text);
  json.end_object();
}

void write_values(schema::JsonWriter& json, std::string_view key,
                  const std::vector<schema::IrValue>& values) {
  json.key(key);
  json.list(values, [&](const schema::IrValue& value) {
    json.begin_object();
    json.field("name", value.name);
    json.field("type", value.type);
    json.end_object();
  });
}

void write_contraction(schema::JsonWriter& json, const schema::IrContraction& contraction) {
  json.begin_object();
  json.field("op", contraction.op);
  json.key("operands");
  json.list(contraction.operands, [&](const std::string& type) { json.value(type); });
  json.field("result", contraction.result);
  json.field("dimensions", contraction.dimensions);
  json.field("count", contraction.count);
  json.end_object();
}

void write_ir_module(schema::JsonWriter& json, const schema::IrModule& module) {
  json.begin_object();
  json.field("dialect", ir_dialect_name(module.dialect));
  json.field("name", module.name);
  json.field("offset", module.offset);
  json.field("length", module.length);
  json.field("line", module.line);
  json.field("unfinished", module.is_unfinished);
  json.key("stack");
  json.list(module.stack, [&](const std::string& frame) { json.value(frame); });
  write_values(json, "parameters", module.parameters);
  write_values(json, "results", module.results);
  json.field("entry_layout", module.entry_layout);
  json.field("parameter_bytes", module.parameter_bytes);
  json.field("computation_count", module.computation_count);
  json.field("instruction_count", module.instruction_count);
  write_histogram(json, "ops", module.ops);
  write_histogram(json, "fusion_kinds", module.fusion_kinds);
  write_histogram(json, "custom_calls", module.custom_calls);
  json.key("contractions");
  json.list(module.contractions, [&](const schema::IrContraction& contraction) {
    write_contraction(json, contraction);
  });
  json.end_object();
}

void write_change(schema::JsonWriter& json, const ProfileChange& change) {
  json.begin_object();
  json.field("name", change.name);
  json.field("change", change_name(change.kind));
  json.field("before", change.before);
  json.field("after", change.after);
  json.field("calls_before", change.calls_before);
  json.field("calls_after", change.calls_after);
  json.field("share", change.share);
  json.end_object();
}

}  // namespace

void write_artifact(schema::JsonWriter& json, const schema::Artifact& artifact,
                    const service::Snapshot& snapshot) {
  json.begin_object();
  json.field("id", to_int(artifact.id));
  json.field("kind", artifact_kind_name(artifact.kind));
  json.field("name", artifact.name);
  json.field("path", shown_path(artifact.path));
  json.field("model", artifact.model);
  json.field("repetition", artifact.repetition);
  json.field("part", artifact.part);
  json.field("byte_count", artifact.byte_count);
  json.field("content_hash", artifact.content_hash);
  json.key("at");
  write_time(json, artifact.ingested_at);
  json.field("problem_count", artifact.problem_count);
  json.field("unreadable", artifact.error);
  json.field("superseded", artifact.is_superseded);
  json.field("has_text", artifact.text.has_value());
  json.key("trace_id");
  if (artifact.trace) {
    json.value(to_int(*artifact.trace));
  } else {
    json.null();
  }
  json.key("results");
  json.list(artifact.results, [&](const schema::ArtifactResult& result) {
    const service::RunEntry* const entry = snapshot.find(result.run);
    if (entry == nullptr) return;
    json.begin_object();
    json.key("run");
    write_run_ref(json, entry->run);
    json.field("experiment_id", to_int(result.experiment));
    json.end_object();
  });
  json.end_object();
}

void write_content(schema::JsonWriter& json, const std::vector<schema::OperatorTable>& tables) {
  json.list(tables, [&](const schema::OperatorTable& table) {
    json.begin_object();
    json.key("columns");
    json.list(table.columns, [&](const schema::OperatorColumn& column) {
      json.begin_object();
      json.field("name", column.name);
      json.field("unit", kind_name(column.kind));
      json.end_object();
    });
    // A cell is its number in the column's unit, or its text where it has none.
    json.key("rows");
    json.list(table.rows, [&](const std::vector<schema::OperatorCell>& row) {
      json.list(row, [&](const schema::OperatorCell& cell) {
        if (cell.value) {
          json.value(*cell.value);
        } else {
          json.value(cell.text);
        }
      });
    });
    json.key("totals");
    json.list(table.totals, [&](const auto& total) {
      json.begin_object();
      json.field("name", total.first);
      json.field("ns", total.second);
      json.end_object();
    });
    json.end_object();
  });
}

void write_content(schema::JsonWriter& json, const schema::MetricsReport& report) {
  const auto write_optional = [&](std::string_view key,
                                  const std::optional<schema::MetricValue>& value) {
    json.key(key);
    if (value) {
      write_metric_value(json, *value);
    } else {
      json.null();
    }
  };
  json.begin_object();
  json.key("metrics");
  json.list(report.metrics, [&](const schema::XlaMetric& metric) {
    json.begin_object();
    json.field("name", metric.name);
    json.field("total_samples", metric.total_samples);
    write_optional("accumulator", metric.accumulator);
    write_optional("value_rate", metric.value_rate);
    json.field("rate", metric.rate);
    json.key("percentiles");
    json.list(metric.percentiles, [&](const auto& percentile) {
      json.begin_object();
      json.field("percent", percentile.first);
      json.key("value");
      write_metric_value(json, percentile.second);
      json.end_object();
    });
    json.end_object();
  });
  json.key("counters");
  json.list(report.counters, [&](const auto& counter) {
    json.begin_object();
    json.field("name", counter.first);
    json.field("value", counter.second);
    json.end_object();
  });
  json.end_object();
}

void write_content(schema::JsonWriter& json, const schema::DynamoCounters& counters) {
  json.list(counters.groups, [&](const auto& group) {
    json.begin_object();
    json.field("group", group.name);
    json.key("counters");
    json.list(group.counters, [&](const auto& counter) {
      json.begin_object();
      json.field("name", counter.first);
      json.field("value", counter.second);
      json.field("of_cache", bool{analysis::is_of_cache(group.name, counter.first)});
      json.end_object();
    });
    json.end_object();
  });
}

void write_content(schema::JsonWriter& json, const std::vector<schema::IrModule>& modules) {
  json.list(modules, [&](const schema::IrModule& module) { write_ir_module(json, module); });
}

void write_content(schema::JsonWriter& json, const schema::CompileTimes& times) {
  json.list(times.functions, [&](const schema::CompileTimes::Function& function) {
    json.begin_object();
    json.field("name", function.name);
    json.field("total_s", function.total());
    json.key("seconds");
    json.list(function.seconds, [&](double seconds) { json.value(seconds); });
    json.end_object();
  });
}

void write_content_fields(schema::JsonWriter& json, schema::ArtifactKind kind,
                          const service::ArtifactContent& content) {
  json.key("problems");
  const std::vector<schema::DumpProblem> none;
  json.list(content.read          ? content.read->problems
            : content.torch_trace ? content.torch_trace->problems
                                  : none,
            [&](const schema::DumpProblem& problem) {
              json.begin_object();
              json.field("line", problem.line);
              json.field("reason", problem.reason);
              json.end_object();
            });
  for (const auto& [its_kind, key] : kContents) {
    json.key(key);
    if (kind == its_kind && content.read) {
      std::visit([&](const auto& read) { write_content(json, read); }, content.read->content);
    } else if (kind == its_kind && content.trace_report) {
      write_stored_json(json, *content.trace_report, "null");
    } else {
      json.null();
    }
  }
  json.key("torch_trace");
  if (content.torch_trace) {
    write_torch_trace(json, *content.torch_trace, content.log_outputs, content.log_output_count);
  } else {
    json.null();
  }
}

void write_section_differences(schema::JsonWriter& json,
                               const std::vector<analysis::SectionDifference>& sections,
                               std::size_t most) {
  json.list(sections, [&](const analysis::SectionDifference& section) {
    const analysis::ProfileDifference& difference = section.difference;
    json.begin_object();
    json.field("of", section.of);
    json.field("unit", unit_name(section.unit));
    const auto total = [&](double sum) {
      return section.has_total ? std::optional(sum) : std::nullopt;
    };
    json.field("before", total(difference.before));
    json.field("after", total(difference.after));
    json.field("unexplained", difference.unexplained);
    json.field("change_count", difference.changes.size());
    json.key("changes");
    json.list(schema::first_of(difference.changes, most),
              [&](const ProfileChange& change) { write_change(json, change); });
    json.end_object();
  });
}

}  // namespace benchhud::views
