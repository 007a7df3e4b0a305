#include "views/compilation_json.h"

#include "views/answers.h"

namespace benchhud::views {
namespace {

// As the contract's CompilationOutput.
void write_output(schema::JsonWriter& json, const schema::StoredOutput& stored) {
  const schema::CompilationOutput& output = stored.output;
  json.begin_object();
  json.field("output", stored.ordinal);
  json.field("kind", output.kind);
  json.field("name", output.name);
  json.field("encoding", output.encoding);
  json.field("attempt", output.attempt);
  json.field("line", output.line);
  json.field("byte_count", output.byte_count);
  json.field("has_text", output.text.has_value());
  json.end_object();
}

void write_place(schema::JsonWriter& json, std::string_view key,
                 const std::optional<analysis::OutputPlace>& place) {
  json.key(key);
  if (!place) return json.null();
  json.begin_object();
  json.field("output", place->ordinal);
  json.field("byte_count", place->byte_count);
  json.end_object();
}

// As members of an object.
void write_outputs(schema::JsonWriter& json, const std::vector<schema::StoredOutput>& outputs,
                   std::int64_t output_count) {
  json.key("outputs");
  json.list(outputs, [&](const schema::StoredOutput& output) { write_output(json, output); });
  json.field("output_count", output_count);
}

}  // namespace

void write_compilation(schema::JsonWriter& json, const schema::StoredCompilation& stored,
                       const std::string& stack, const std::vector<schema::StoredOutput>& outputs,
                       std::int64_t output_count) {
  const schema::Compilation& one = stored.compilation;
  json.begin_object();
  json.field("ordinal", stored.ordinal);
  json.field("compile_id", one.compile_id);
  json.field("occurrence", one.occurrence);
  json.field("attempt", one.attempt);
  json.field("line", one.line);
  json.field("logged_at", one.logged_at);
  json.field("frame_name", one.frame_name);
  json.field("frame_file", one.frame_file);
  json.field("frame_line", one.frame_line);
  json.field("seconds", one.seconds);
  json.field("restart_seconds", one.seconds_before_restart);
  json.field("guard_count", one.guard_count);
  json.field("shape_guard_count", one.shape_guard_count);
  json.field("op_count", one.op_count);
  json.field("node_count", one.node_count);
  json.field("input_count", one.input_count);
  json.field("cache_size", one.cache_size);
  json.field("fail_type", one.fail_type);
  json.field("fail_reason", one.fail_reason);
  json.field("fail_file", one.fail_file);
  json.field("fail_line", one.fail_line);
  const auto list = [&](std::string_view key, const std::string& text) {
    json.key(key);
    write_stored_json(json, text, "[]");
  };
  list("stack", stack);
  list("phases", one.phases);
  list("restarts", one.restarts);
  list("graph_breaks", one.graph_breaks);
  list("recompiles", one.recompiles);
  list("caches", one.caches);
  write_outputs(json, outputs, output_count);
  json.end_object();
}

void write_torch_trace(schema::JsonWriter& json, const schema::TorchTraceSummary& summary,
                       const std::vector<schema::StoredOutput>& outputs,
                       std::int64_t output_count) {
  json.begin_object();
  json.field("rank", summary.rank);
  json.field("record_count", summary.record_count);
  json.field("sound_payloads", summary.sound_payloads);
  json.field("damaged_payloads", summary.damaged_payloads);
  json.field("unreadable_lines", summary.unreadable_lines);
  json.field("omitted", summary.omitted);
  json.field("compilation_count", summary.compilation_count);
  json.key("kinds");
  write_stored_json(json, summary.kinds, "[]");
  write_outputs(json, outputs, output_count);
  json.end_object();
}

void write_compilation_change(schema::JsonWriter& json, const analysis::CompilationChange& change,
                              const service::CompilationLogPair* pair) {
  const auto id = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  json.begin_object();
  json.field("kind", compilation_change_name(change.kind));
  json.field("change", change_name(change.change));
  json.field("text", change_text(change));
  json.field("frame_name", change.frame_name);
  json.field("frame_file", change.frame_file);
  json.field("frame_line", change.frame_line);
  json.field("what", change.what);
  json.field("before", change.before);
  json.field("after", change.after);
  json.field("compile_id_before", id(change.compile_id_before));
  json.field("compile_id_after", id(change.compile_id_after));
  if (pair != nullptr) {
    json.field("rank", pair->rank);
    json.field("artifact_before", to_int(pair->before.id));
    json.field("artifact_after", to_int(pair->after.id));
    json.field("ordinal_before", change.ordinal_before);
    json.field("ordinal_after", change.ordinal_after);
    write_place(json, "output_before", change.output_before);
    write_place(json, "output_after", change.output_after);
  }
  json.end_object();
}

void write_compilation_counts(schema::JsonWriter& json, const analysis::CompilationCounts& counts) {
  json.begin_object();
  json.field("compilations", counts.compilations);
  json.field("frames", counts.frames);
  json.field("recompilations", counts.recompilations);
  json.field("restarts", counts.restarts);
  json.field("failures", counts.failures);
  json.field("graph_breaks",
             counts.tells_breaks() ? std::optional(counts.graph_breaks) : std::nullopt);
  json.field("resumed_frames", counts.resumed_frames);
  json.field("seconds", counts.seconds);
  json.field("untimed", counts.compilations_untimed);
  json.end_object();
}

}  // namespace benchhud::views
