#include "views/hlo_json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::views {
namespace {

std::optional<std::string> told(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::int64_t> told(std::int64_t number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

void write_references(schema::JsonWriter& json, std::string_view key, std::string_view count_key,
                      const std::vector<ingest::HloReference>& references, std::int64_t count) {
  json.key(key);
  json.list(references, [&](const ingest::HloReference& one) {
    json.begin_object();
    json.field("name", one.name);
    json.field("line", told(one.line));
    json.end_object();
  });
  json.field(count_key, count);
}

void write_if_known(schema::JsonWriter& json, const std::optional<ingest::HloFacts>& facts) {
  if (facts) {
    write_hlo_instruction(json, *facts);
  } else {
    json.null();
  }
}

}  // namespace

void write_hlo_module(schema::JsonWriter& json, const trace::HloModule& module,
                      std::int64_t program_id) {
  json.begin_object();
  json.field("module", module.id);
  json.field("name", module.name);
  // A text: hashes of 64 bits are beyond what a browser's numbers hold.
  json.field("program_id", std::to_string(program_id));
  json.field("byte_count", module.byte_count);
  json.end_object();
}

void write_hlo_instruction(schema::JsonWriter& json, const ingest::HloFacts& facts) {
  json.begin_object();
  json.field("name", facts.name);
  json.field("computation", facts.computation);
  json.field("line", facts.line);
  json.field("offset", facts.offset);
  json.field("opcode", facts.opcode);
  json.field("type", facts.type);
  json.field("text", facts.text);
  json.field("op_type", told(facts.op_type));
  json.field("op_name", told(facts.op_name));
  json.field("source_file", told(facts.source_file));
  json.field("source_line", told(facts.source_line));
  json.key("stack");
  json.list(facts.stack, [&](const ingest::HloFrame& frame) {
    json.begin_object();
    json.field("file", frame.file);
    json.field("line", told(frame.line));
    json.field("function", frame.function);
    json.end_object();
  });
  write_references(json, "operands", "operand_count", facts.operands, facts.operand_count);
  write_references(json, "users", "user_count", facts.users, facts.user_count);
  write_references(json, "called", "called_count", facts.called, facts.called_count);
  json.end_object();
}

void write_hlo_line(schema::JsonWriter& json, const ingest::HloLine& line) {
  json.begin_object();
  json.field("line", line.line);
  json.field("offset", line.offset);
  json.key("instruction");
  write_if_known(json, line.instruction);
  json.end_object();
}

void write_hlo_answer(schema::JsonWriter& json, const service::HloAnswer& answer) {
  json.begin_object();
  json.key("module");
  if (answer.module) {
    write_hlo_module(json, *answer.module, answer.program_id);
  } else {
    json.null();
  }
  json.field("entry_line", told(answer.entry_line));
  json.key("instruction");
  write_if_known(json, answer.instruction);
  json.field("absence", told(answer.absence));
  json.end_object();
}

}  // namespace benchhud::views
