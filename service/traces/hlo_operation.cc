#include "service/traces/hlo_operation.h"

#include <charconv>
#include <utility>

namespace benchhud::service {

using schema::Expected;

namespace {

// Modules of one name whose texts are searched for an instruction.
constexpr int kMostSearched = 50;

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// Fills an answer about a module.
Expected<void> look_into(schema::Reader& reader, const HloQuery& query, trace::HloModule module,
                         HloAnswer* answer) {
  BENCHHUD_ASSIGN(const std::string text, reader.text(module.text));
  answer->module = std::move(module);
  answer->entry_line = ingest::hlo_entry_line(text);
  answer->absence.clear();
  if (query.op.empty()) return {};
  answer->instruction = ingest::find_hlo_instruction(text, query.op);
  if (!answer->instruction) {
    answer->absence = "The module has no instruction of this name.";
  } else if (answer->instruction->source_file.empty()) {
    answer->absence = absent_hlo_source(text);
    if (answer->absence.empty()) {
      answer->absence = "The compiler names no source for this instruction.";
    }
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> program_id_of(std::string_view text) {
  if (const auto number = whole_number<std::int64_t>(text)) return number;
  const auto number = whole_number<std::uint64_t>(text);
  return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

std::string absent_hlo(const std::optional<trace::TraceHlo>& hlo) {
  if (!hlo) {
    return "No HLO is stored for this trace. XPlane profiles (*.xplane.pb) hold it, Chrome traces "
           "do not; a profile that an older benchhud ingested gets its HLO when it is ingested "
           "again.";
  }
  if (hlo->modules.empty() && hlo->unreadable > 0) {
    return "The profile's HLO could not be decoded: see the problems of the trace.";
  }
  if (hlo->modules.empty()) {
    return "The profile holds no HLO: record it with the profiler's option enable_hlo_proto.";
  }
  return "";
}

std::string absent_hlo_source(std::string_view text) {
  if (ingest::has_hlo_source(text)) return "";
  return "The module names no source: with PyTorch/XLA set XLA_HLO_DEBUG=1 when the model is "
         "traced.";
}

Expected<HloAnswer> hlo_of_slice(schema::Reader& reader, schema::TraceId trace,
                                 const HloQuery& query) {
  HloAnswer answer;
  BENCHHUD_ASSIGN(const auto hlo, trace::trace_hlo(reader.connection(), trace));
  answer.absence = absent_hlo(hlo);
  if (!answer.absence.empty()) return answer;
  if (!query.program_id && query.module.empty()) {
    answer.absence = "The slice names no program.";
  } else if (hlo->unreadable + hlo->left_out > 0) {
    answer.absence =
        "No HLO of this program was read; not all of the profile's was: see the problems of the "
        "trace.";
  } else {
    answer.absence = "The profile holds no HLO of this program.";
  }
  int searched = 0;
  for (const trace::HloModuleUse& use : hlo->modules) {
    if (query.program_id && use.program_id != *query.program_id) continue;
    BENCHHUD_ASSIGN(auto module, trace::hlo_module(reader.connection(), use.module));
    if (!query.program_id && (query.module.empty() || module.name != query.module)) continue;
    if (answer.module && ++searched == kMostSearched) break;
    HloAnswer candidate;
    candidate.program_id = use.program_id;
    BENCHHUD_TRY(look_into(reader, query, std::move(module), &candidate));
    if (query.op.empty() || candidate.instruction) return candidate;
    if (!answer.module) answer = std::move(candidate);
  }
  return answer;
}

}  // namespace benchhud::service
