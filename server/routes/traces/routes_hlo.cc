// Modules of HLO that profiles hold: which there are, their texts, and the instruction of a slice.
#include <algorithm>
#include <array>
#include <utility>

#include "ingest/ir/ir_text.h"
#include "schema/base/utf8.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "server/routes/traces/trace_parts.h"
#include "service/traces/hlo_operation.h"
#include "trace/trace_hlo.h"
#include "views/artifact_json.h"
#include "views/hlo_json.h"

namespace benchhud::server {
namespace {

using schema::Expected;

// Profiles of one module that are listed, the newest; how many there are is said.
constexpr std::size_t kMostHloProfiles = 100;

// What is read of a module when it was read does not change, but the profiles that hold it do.
Expected<trace::HloModule> asked_module(RequestContext& context) {
  auto module = trace::hlo_module(context.reader().connection(), context.query.integer("id"));
  if (!module) context.wrong_parameter = "id";
  return module;
}

Expected<void> write_modules(RequestContext& context, schema::JsonWriter& json,
                             schema::TraceId trace) {
  schema::Connection& connection = context.reader().connection();
  BENCHHUD_ASSIGN(const auto hlo, trace::trace_hlo(connection, trace));
  json.begin_object();
  json.key("modules");
  json.begin_array();
  if (hlo) {
    for (const trace::HloModuleUse& use : hlo->modules) {
      BENCHHUD_ASSIGN(const auto module, trace::hlo_module(connection, use.module));
      views::write_hlo_module(json, module, use.program_id);
    }
  }
  json.end_array();
  json.field("llo_byte_count", hlo ? std::optional(hlo->llo_bytes) : std::nullopt);
  const std::string absence = service::absent_hlo(hlo);
  json.field("absence", absence.empty() ? std::nullopt : std::optional(absence));
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_modules(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  return ResponsePlan{revision_key(context),
                      [&context, trace = asked.id](schema::JsonWriter& json) {
                        return write_modules(context, json, trace);
                      }};
}

Expected<void> write_module(RequestContext& context, schema::JsonWriter& json,
                            const trace::HloModule& module) {
  BENCHHUD_ASSIGN(const std::string text, context.reader().text(module.text));
  BENCHHUD_ASSIGN(auto profiles,
                  trace::profiles_with_hlo(context.reader().connection(), module.id));
  if (context.query.has("trace")) {
    const auto first = static_cast<schema::TraceId>(context.query.integer("trace"));
    std::ranges::stable_partition(profiles,
                                  [&](const trace::HloProfile& one) { return one.trace == first; });
  }
  json.begin_object();
  json.field("module", module.id);
  json.field("name", module.name);
  json.field("byte_count", module.byte_count);
  json.key("ir_modules");
  views::write_content(json, ingest::read_ir_text(text).modules);
  const std::string absence = service::absent_hlo_source(text);
  json.field("source_absence", absence.empty() ? std::nullopt : std::optional(absence));
  json.key("profiles");
  json.list(schema::first_of(profiles, kMostHloProfiles), [&](const trace::HloProfile& profile) {
    json.begin_object();
    json.field("trace_id", to_int(profile.trace));
    json.field("program_id", std::to_string(profile.program_id));
    json.end_object();
  });
  json.field("profile_count", profiles.size());
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_module(RequestContext& context) {
  BENCHHUD_ASSIGN(trace::HloModule module, asked_module(context));
  return ResponsePlan{revision_key(context),
                      [&context, module = std::move(module)](schema::JsonWriter& json) {
                        return write_module(context, json, module);
                      }};
}

Expected<ResponsePlan> get_module_text(RequestContext& context) {
  BENCHHUD_ASSIGN(const trace::HloModule module, asked_module(context));
  const std::size_t offset = context.query.size("offset");
  const std::size_t length =
      context.query.has("length") ? context.query.size("length") : std::string::npos;
  return ResponsePlan{
      revision_key(context),
      [&context, text = module.text, offset, length]() -> Expected<std::string> {
        BENCHHUD_ASSIGN(const std::string bytes, context.reader().text(text));
        return schema::to_valid_utf8(schema::whole_characters(bytes, offset, length));
      },
      "text/plain; charset=utf-8"};
}

Expected<ResponsePlan> get_instruction(RequestContext& context) {
  BENCHHUD_ASSIGN(const trace::HloModule module, asked_module(context));
  return ResponsePlan{
      revision_key(context),
      [&context, id = module.text,
       line = context.query.integer("line")](schema::JsonWriter& json) -> Expected<void> {
        BENCHHUD_ASSIGN(const std::string text, context.reader().text(id));
        const auto found = ingest::hlo_line_at(text, line);
        if (!found) return wrong_parameter(context, "line", "The text has no line of this number.");
        views::write_hlo_line(json, *found);
        return {};
      }};
}

Expected<ResponsePlan> get_hlo_of_slice(RequestContext& context) {
  BENCHHUD_ASSIGN(const AskedTrace asked, asked_trace(context));
  service::HloQuery query;
  if (context.query.has("program_id")) {
    query.program_id = service::program_id_of(context.query.text("program_id"));
    if (!query.program_id) {
      return wrong_parameter(context, "program_id", "program_id must be a number of 64 bits.");
    }
  }
  query.module = context.query.text("module");
  query.op = context.query.text("op");
  return ResponsePlan{
      revision_key(context),
      [&context, trace = asked.id, query](schema::JsonWriter& json) -> Expected<void> {
        BENCHHUD_ASSIGN(const auto answer, service::hlo_of_slice(context.reader(), trace, query));
        views::write_hlo_answer(json, answer);
        return {};
      }};
}

}  // namespace

std::span<const NamedRoute> hlo_routes() {
  static constexpr std::array routes = {
      NamedRoute{"listTraceHlo", list_modules, Lane::kDumps},
      NamedRoute{"getHloModule", get_module, Lane::kDumps},
      NamedRoute{"getHloText", get_module_text, Lane::kDumps},
      NamedRoute{"getHloInstruction", get_instruction, Lane::kDumps},
      NamedRoute{"getHloOfSlice", get_hlo_of_slice, Lane::kDumps}};
  return routes;
}

}  // namespace benchhud::server
