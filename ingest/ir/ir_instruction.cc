#include "ingest/ir/ir_instruction.h"

#include <algorithm>
#include <cstdint>

#include "ingest/ir/ir_module_builder.h"
#include "ingest/ir/ir_type.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::IrContraction;

namespace {

constexpr std::size_t kMostOperands = 16;

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '.' || c == ':' || c == '$' || c == '~' || c == '<' || c == '>' || c == '/';
}

std::size_t name_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name_character(text[at])) ++at;
  return at;
}

std::size_t past_blanks(std::string_view text, std::size_t at = 0) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// "  ROOT %name = …"
bool begins_instruction(std::string_view line) {
  line.remove_prefix(past_blanks(line));
  if (line.starts_with("ROOT ")) line.remove_prefix(past_blanks(line, 5));
  if (line.starts_with('%')) line.remove_prefix(1);
  const std::size_t end = name_end(line, 0);
  return end > 0 && line.substr(end).starts_with(" = ");
}

bool ends_before(std::string_view line) {
  return trim(line) == "}" || begins_instruction(line) || begins_ir(line);
}

}  // namespace

std::size_t instruction_end(std::string_view dump, std::size_t begin, bool* is_whole) {
  *is_whole = true;
  std::int64_t depth = 0;
  std::size_t line_end = 0;  // of the line at hand, once a string was looked for
  for (std::size_t i = begin; i < dump.size();) {
    switch (dump[i]) {
      case '(':
      case '[':
      case '{':
        ++depth;
        break;
      case ')':
      case ']':
      case '}':
        --depth;
        break;
      case '"':
        if (i >= line_end) {
          // Strings end on their line.
          std::size_t end = i + 1;
          while (end < dump.size() && dump[end] != '"' && dump[end] != '\n') {
            end += dump[end] == '\\' ? 2 : 1;
          }
          if (end < dump.size() && dump[end] == '"') {
            i = end;
          } else {
            line_end = end;
          }
        }
        break;
      case '\n':
        if (depth <= 0) return i;
        if (ends_before(ir_line(dump, i + 1).text)) {
          *is_whole = false;
          return i;
        }
        break;
      case '/':
        // A comment to the end of the line, in files that people wrote.
        if (depth <= 0 && dump.substr(i).starts_with("// ")) {
          return std::min(dump.find('\n', i), dump.size());
        }
        break;
      default:
        break;
    }
    ++i;
  }
  *is_whole = depth <= 0;
  return dump.size();
}

std::optional<IrInstruction> parse_instruction(std::string_view text) {
  IrInstruction found;
  std::size_t at = past_blanks(text);
  if (text.substr(at).starts_with("ROOT ")) {
    found.is_root = true;
    at = past_blanks(text, at + 5);
  }
  if (text.substr(at).starts_with('%')) ++at;
  std::size_t end = name_end(text, at);
  found.name = text.substr(at, end - at);
  at = past_blanks(text, end);
  if (found.name.empty() || !text.substr(at).starts_with('=')) return std::nullopt;
  const std::size_t type_begin = at = past_blanks(text, at + 1);
  if (text.substr(at).starts_with('(') || text.substr(at).starts_with('[')) {
    const std::size_t size = bracket_end(text.substr(at));
    if (size == text.npos) return std::nullopt;
    at += size;
  } else {
    at = name_end(text, at);
    if (at == type_begin) return std::nullopt;
    for (const char open : {'[', '{'}) {
      if (!text.substr(at).starts_with(open)) continue;
      const std::size_t size = bracket_end(text.substr(at));
      if (size == text.npos) return std::nullopt;
      at += size;
    }
  }
  found.type = text.substr(type_begin, at - type_begin);
  at = past_blanks(text, at);
  end = name_end(text, at);
  found.op = text.substr(at, end - at);
  if (found.type.empty() || found.op.empty()) return std::nullopt;
  at = past_blanks(text, end);
  if (!text.substr(at).starts_with('(')) return std::nullopt;
  const std::size_t size = bracket_end(text.substr(at));
  if (size == text.npos) return std::nullopt;
  found.operands = text.substr(at + 1, size - 2);
  found.attributes = text.substr(at + size);
  return found;
}

std::string_view attribute(std::string_view attributes, std::string_view key) {
  for (const std::string_view part : split_list(attributes)) {
    if (part.starts_with(key) && part.substr(key.size()).starts_with('=')) {
      return trim(part.substr(key.size() + 1));
    }
  }
  return {};
}

std::string operand_shape(std::string_view operand, const IrTypes& types) {
  // The name is what stands behind the last blank.
  while (operand.starts_with("/*")) {
    const std::size_t end = operand.find("*/");
    if (end == operand.npos) break;
    operand = trim(operand.substr(end + 2));
  }
  const std::size_t blank = operand.find_last_of(" \t\n");
  std::string_view type = trim(operand.substr(0, blank == operand.npos ? 0 : blank));
  std::string_view name = operand.substr(blank + 1);  // npos + 1 is 0
  if (type.empty()) {
    if (name.starts_with('%')) name.remove_prefix(1);
    const auto known = types.find(name);
    if (known != types.end()) {
      type = known->second;
    } else if (const std::size_t dot = name.rfind('.'); dot != name.npos) {
      const auto tuple = types.find(name.substr(0, dot));
      const auto part = number_of<std::size_t>(name.substr(dot + 1));
      if (tuple != types.end() && part && tuple->second.starts_with('(')) {
        // Tuples are small, but a hostile one is looked at no further than a shape is long.
        const auto parts = split_list(
            tuple->second.substr(1, std::min(tuple->second.size() - 2, 4 * kLongestShape)));
        if (*part < parts.size()) type = parts[*part];
      }
    }
  }
  if (type.empty()) return "?";
  return without_layout(type.substr(0, 4 * kLongestShape), kLongestShape);
}

IrContraction contraction_of(const IrInstruction& instruction, std::string op,
                             std::string dimensions, const IrTypes& types) {
  IrContraction found;
  found.op = std::move(op);
  for (const std::string_view operand : split_list(instruction.operands)) {
    if (found.operands.size() == kMostOperands) break;
    found.operands.push_back(operand_shape(operand, types));
  }
  found.result = without_layout(instruction.type.substr(0, 4 * kLongestShape), kLongestShape);
  found.dimensions = std::move(dimensions);
  return found;
}

}  // namespace benchhud::ingest
