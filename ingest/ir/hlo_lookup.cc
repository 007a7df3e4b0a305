#include "ingest/ir/hlo_lookup.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ingest/ir/ir_instruction.h"
#include "ingest/ir/ir_module_builder.h"
#include "ingest/ir/ir_type.h"
#include "ingest/text/text_parts.h"
#include "trace/trace_hlo.h"

namespace benchhud::ingest {
namespace {

constexpr std::size_t kLongestShown = 4096;  // bytes of an instruction
constexpr std::size_t kMostStackFrames = 200;

// A line of the text with its number.
struct NumberedLine {
  std::string_view text;
  std::int64_t number = 0;
  std::size_t offset = 0;
};

class HloLines {
 public:
  explicit HloLines(std::string_view text) : text_(text) {}
  bool next(NumberedLine* line) {
    if (at_ >= text_.size()) return false;
    const IrLine found = ir_line(text_, at_);
    *line = {found.text, ++number_, at_};
    at_ = found.next;
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
};

bool begins_computation(std::string_view line) {
  return !line.empty() && line.front() != ' ' && line.ends_with('{');
}

std::string_view without_percent(std::string_view name) {
  return name.starts_with('%') ? name.substr(1) : name;
}

// "main" of "ENTRY %main (p: f32[]) -> f32[] {".
std::string_view computation_name(std::string_view line) {
  if (line.starts_with("ENTRY ")) line.remove_prefix(6);
  return without_percent(line.substr(0, line.find(' ')));
}

// "x" of "  ROOT %x = f32[] add(…)"; "" of other lines.
std::string_view instruction_name(std::string_view line) {
  if (!line.starts_with("  ")) return {};
  line.remove_prefix(2);
  if (line.starts_with("ROOT ")) line.remove_prefix(5);
  const std::size_t end = line.find(" = ");
  return end == line.npos ? std::string_view() : without_percent(line.substr(0, end));
}

// A text between quotes with C's escapes, from its first quote on; `*at` is behind its last then.
std::string unescaped(std::string_view text, std::size_t* at) {
  std::string made;
  std::size_t i = *at + 1;
  while (i < text.size() && text[i] != '"') {
    if (text[i] != '\\' || i + 1 == text.size()) {
      made += text[i++];
      continue;
    }
    const char c = text[i + 1];
    const auto is_octal = [&](std::size_t place) {
      return place < text.size() && '0' <= text[place] && text[place] <= '7';
    };
    if (is_octal(i + 1) && is_octal(i + 2) && is_octal(i + 3)) {
      made += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                (text[i + 3] - '0'));
      i += 4;
      continue;
    }
    made += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    i += 2;
  }
  *at = std::min(i + 1, text.size());
  return made;
}

// Of `{op_name="…" source_line=5}`, or of a row of a table.
std::map<std::string, std::string, std::less<>> members_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> members;
  if (text.starts_with('{')) text.remove_prefix(1);
  std::size_t at = 0;
  while (at < text.size() && text[at] != '}') {
    const std::size_t equals = text.find('=', at);
    if (equals == text.npos) break;
    std::string key(trim(text.substr(at, equals - at)));
    at = equals + 1;
    std::string value;
    if (text.substr(at).starts_with('"')) {
      value = unescaped(text, &at);
    } else {
      const std::size_t end = std::min(text.find_first_of(" }", at), text.size());
      value = text.substr(at, end - at);
      at = end;
    }
    members.insert_or_assign(std::move(key), std::move(value));
    at = std::min(text.find_first_not_of(' ', at), text.size());
  }
  return members;
}

// The tables at the beginning of a module, by title; each row without its number.
using HloTables = std::map<std::string_view, std::vector<std::string_view>>;

HloTables tables_of(std::string_view text) {
  HloTables tables;
  HloLines lines(text);
  NumberedLine line;
  std::vector<std::string_view>* table = nullptr;
  while (lines.next(&line) && !begins_computation(line.text)) {
    if (line.text == "FileNames" || line.text == "FunctionNames" || line.text == "FileLocations" ||
        line.text == "StackFrames") {
      table = &tables[line.text];
    } else if (line.text.empty()) {
      table = nullptr;
    } else if (table != nullptr) {
      table->push_back(line.text.substr(std::min(line.text.find(' '), line.text.size() - 1) + 1));
    }
  }
  return tables;
}

std::int64_t number_in(const std::map<std::string, std::string, std::less<>>& members,
                       std::string_view key) {
  const auto found = members.find(key);
  return found == members.end() ? 0 : number_of<std::int64_t>(found->second).value_or(0);
}

// The row of that number, counted from 1; "" where there is none.
std::string_view row_of(const HloTables& tables, std::string_view title, std::int64_t number) {
  const auto table = tables.find(title);
  if (table == tables.end() || number < 1 ||
      number > static_cast<std::int64_t>(table->second.size())) {
    return {};
  }
  return table->second[static_cast<std::size_t>(number - 1)];
}

std::string text_row(const HloTables& tables, std::string_view title, std::int64_t number) {
  const std::string_view row = row_of(tables, title, number);
  std::size_t at = 0;
  return row.starts_with('"') ? unescaped(row, &at) : std::string();
}

// The innermost first. XLA prints the number of a frame's parent plus one.
std::vector<HloFrame> stack_of(const HloTables& tables, std::int64_t frame) {
  std::vector<HloFrame> stack;
  while (stack.size() < kMostStackFrames) {
    const std::string_view row = row_of(tables, "StackFrames", frame);
    if (row.empty()) break;
    const auto members = members_of(row);
    const auto location =
        members_of(row_of(tables, "FileLocations", number_in(members, "file_location_id")));
    stack.push_back({text_row(tables, "FileNames", number_in(location, "file_name_id")),
                     text_row(tables, "FunctionNames", number_in(location, "function_name_id")),
                     number_in(location, "line")});
    const std::int64_t parent = number_in(members, "parent_frame_id") - 1;
    if (parent == frame) break;
    frame = parent;
  }
  return stack;
}

// Calls `take` with each name behind "%" in a text, in order, while it returns true. Whole names
// are compared, never searched for: a hostile text has a long name that almost fits everywhere.
template <class Take>
void each_name(std::string_view text, Take take) {
  for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at)) {
    ++at;
    const std::size_t end = std::min(text.find_first_of(", (){}=%", at), text.size());
    if (!take(text.substr(at, end - at))) return;
    at = end;
  }
}

// Each once.
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  each_name(text, [&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    return names.size() < kMostHloReferences;
  });
  return names;
}

bool has_name(std::string_view text, std::string_view name) {
  bool is_there = false;
  each_name(text, [&](std::string_view one) { return !(is_there = one == name); });
  return is_there;
}

// What an instruction calls, by the attributes that name computations.
std::string called_text(std::string_view attributes) {
  std::string called;
  for (const std::string_view key :
       {"calls", "to_apply", "condition", "body", "true_computation", "false_computation",
        "branch_computations", "called_computations", "select", "scatter"}) {
    called += attribute(attributes, key);
    called += ' ';
  }
  return called;
}

void fill_references(const std::vector<std::string_view>& names,
                     const std::map<std::string_view, std::int64_t>& lines,
                     std::vector<HloReference>* references) {
  for (const std::string_view name : names) {
    if (references->size() == kMostHloReferences) break;
    const auto line = lines.find(name);
    references->push_back({std::string(name), line == lines.end() ? 0 : line->second});
  }
}

// What is around the instruction: where its operands, what it calls and what uses it stand.
void add_neighbours(std::string_view text, const IrInstruction& instruction, HloFacts* facts) {
  const auto operands = instruction.op == "constant" ? std::vector<std::string_view>()
                                                     : names_in(instruction.operands);
  const std::string called = called_text(instruction.attributes);
  const auto called_names = names_in(called);
  std::map<std::string_view, std::int64_t> instruction_lines, computation_lines;
  bool is_here = false;
  HloLines lines(text);
  NumberedLine line;
  while (lines.next(&line)) {
    if (begins_computation(line.text)) {
      const std::string_view name = computation_name(line.text);
      is_here = name == facts->computation;
      if (std::ranges::find(called_names, name) != called_names.end()) {
        computation_lines.emplace(name, line.number);
      }
      continue;
    }
    const std::string_view name = is_here ? instruction_name(line.text) : std::string_view();
    if (name.empty()) continue;
    if (std::ranges::find(operands, name) != operands.end()) {
      instruction_lines.emplace(name, line.number);
    }
    // Most lines do not have the name at all.
    if (!has_name(line.text.substr(line.text.find(" = ")), facts->name)) continue;
    const auto user = parse_instruction(line.text);
    if (!user || !has_name(user->operands, facts->name)) continue;
    if (++facts->user_count <= static_cast<std::int64_t>(kMostHloReferences)) {
      facts->users.push_back({std::string(name), line.number});
    }
  }
  fill_references(operands, instruction_lines, &facts->operands);
  fill_references(called_names, computation_lines, &facts->called);
  if (!operands.empty()) facts->operand_count = std::ranges::count(instruction.operands, '%');
  facts->called_count = std::ranges::count(called, '%');
}

std::optional<HloFacts> facts_of(std::string_view text, const NumberedLine& line,
                                 std::string_view computation) {
  const auto instruction = parse_instruction(line.text);
  if (!instruction) return std::nullopt;
  HloFacts facts;
  facts.name = instruction->name;
  facts.computation = computation;
  facts.line = line.number;
  facts.offset = static_cast<std::int64_t>(line.offset);
  facts.opcode = instruction->op;
  facts.type = shortened(instruction->type, kLongestShown);
  facts.text = shortened(trim(line.text), kLongestShown);
  const auto metadata = members_of(attribute(instruction->attributes, "metadata"));
  const auto text_in = [&](std::string_view key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  facts.op_type = text_in("op_type");
  facts.op_name = text_in("op_name");
  facts.source_file = text_in("source_file");
  facts.source_line = number_in(metadata, "source_line");
  const std::int64_t frame = number_in(metadata, "stack_frame_id");
  if (frame > 0) facts.stack = stack_of(tables_of(text), frame);
  // Newer writers leave the place to the frame.
  if (facts.source_file.empty() && !facts.stack.empty()) {
    facts.source_file = facts.stack.front().file;
    facts.source_line = facts.stack.front().line;
  }
  add_neighbours(text, *instruction, &facts);
  return facts;
}

// The computation that a fusion calls; "" of other lines.
std::string_view fused_computation(std::string_view line) {
  constexpr std::string_view kCalls = ", calls=%";
  if (line.find(" fusion(") == line.npos) return {};
  const std::size_t at = line.find(kCalls);
  if (at == line.npos) return {};
  line.remove_prefix(at + kCalls.size());
  return line.substr(0, line.find_first_of(", "));
}

}  // namespace

std::optional<HloFacts> find_hlo_instruction(std::string_view text, std::string_view name) {
  name = name.substr(0, name.find(" = "));
  const std::size_t colons = name.rfind("::");
  if (colons != name.npos) name.remove_prefix(colons + 2);
  name = without_percent(name);
  if (name.empty()) return std::nullopt;
  const std::string printed = trace::hlo_name(name);
  struct Found {
    NumberedLine line;
    std::string_view computation;
  };
  std::vector<Found> found;
  std::set<std::string_view> fused;
  HloLines lines(text);
  NumberedLine line;
  std::string_view computation;
  while (lines.next(&line)) {
    if (begins_computation(line.text)) {
      computation = computation_name(line.text);
    } else if (instruction_name(line.text) == printed) {
      found.push_back({line, computation});
    }
    const std::string_view called = fused_computation(line.text);
    if (!called.empty()) fused.insert(called);
  }
  if (found.empty()) return std::nullopt;
  const auto executed = std::ranges::find_if(
      found, [&](const Found& one) { return !fused.contains(one.computation); });
  const Found& chosen = executed == found.end() ? found.front() : *executed;
  return facts_of(text, chosen.line, chosen.computation);
}

std::optional<HloLine> hlo_line_at(std::string_view text, std::int64_t number) {
  HloLines lines(text);
  NumberedLine line;
  std::string_view computation;
  while (lines.next(&line)) {
    if (begins_computation(line.text)) computation = computation_name(line.text);
    if (line.number != number) continue;
    HloLine made{line.number, static_cast<std::int64_t>(line.offset), std::nullopt};
    if (!instruction_name(line.text).empty()) made.instruction = facts_of(text, line, computation);
    return made;
  }
  return std::nullopt;
}

std::int64_t hlo_entry_line(std::string_view text) {
  HloLines lines(text);
  NumberedLine line;
  while (lines.next(&line)) {
    if (line.text.starts_with("ENTRY ")) return line.number;
  }
  return 0;
}

bool has_hlo_source(std::string_view text) {
  return text.find(" source_file=\"") != text.npos || text.find("{source_file=\"") != text.npos ||
         text.find("stack_frame_id=") != text.npos;
}

}  // namespace benchhud::ingest
