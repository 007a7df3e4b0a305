#include "analysis/profiles/comparable_text.h"

#include <cstddef>

namespace benchhud::analysis {
namespace {

constexpr std::string_view kBlank = " \t\r";
// By which Inductor tells the kernels of one version of itself from those of another.
constexpr std::string_view kCompilerHash = "'backend_hash': '";

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_of_path(char c) {
  return is_word(c) || std::string_view("/.-+@~").find(c) != std::string_view::npos;
}

// Where the last part of an absolute path begins that begins at `at`; `at` where there is none.
std::size_t last_part(std::string_view text, std::size_t at) {
  if (text[at] != '/') return at;
  if (at > 0 && (is_of_path(text[at - 1]) || text[at - 1] == ')' || text[at - 1] == ']')) return at;
  std::size_t end = at;
  while (end < text.size() && is_of_path(text[end])) ++end;
  const std::size_t slash = text.substr(at, end - at).rfind('/');
  return slash == 0 ? at : at + slash + 1;
}

std::size_t end_of_number(std::string_view text, std::size_t at) {
  while (at < text.size() && is_decimal(text[at])) ++at;
  return at;
}

// A comment of Python needs a blank behind its mark: "#include" is none.
std::size_t begin_of_comment(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == line.npos) return line.size();
  const std::string_view text = line.substr(begin);
  if (text == "#" || text.starts_with("# ") || text.starts_with("//")) return begin;
  const std::size_t behind = line.find("  # ");
  return behind == line.npos ? line.size() : behind;
}

void add_code_line(std::string_view line, std::string* out) {
  line = line.substr(0, begin_of_comment(line));
  line = line.substr(0, line.find_last_not_of(kBlank) + 1);
  if (line.empty()) return;
  std::size_t at = 0;
  while (at < line.size()) {
    if (line.substr(at).starts_with(kCompilerHash)) {
      *out += kCompilerHash;
      at = std::min(line.find('\'', at + kCompilerHash.size()), line.size());
      continue;
    }
    const std::size_t part = last_part(line, at);
    if (part > at) {
      at = part;
      continue;
    }
    *out += line[at++];
  }
  *out += '\n';
}

// "0/1: " or "- 0/1: ", which Dynamo writes before the reason of a recompilation.
std::size_t end_of_compile_id(std::string_view reason) {
  std::size_t at = reason.find_first_not_of(" -");
  if (at == reason.npos) return 0;
  const std::size_t frame = end_of_number(reason, at);
  if (frame == at || frame >= reason.size() || reason[frame] != '/') return 0;
  const std::size_t version = end_of_number(reason, frame + 1);
  return version > frame + 1 && reason.substr(version).starts_with(": ") ? version + 2 : 0;
}

// Behind what a number says where something stands.
bool is_before_place(std::string_view out) {
  for (const std::string_view mark : {"line ", ".py:", "_at_"}) {
    if (out.ends_with(mark)) return true;
  }
  return false;
}

bool is_hexadecimal(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

std::string comparable_code(std::string_view code) {
  std::string out;
  out.reserve(code.size());
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    add_code_line(code.substr(0, end), &out);
    code.remove_prefix(std::min(end + 1, code.size()));
  }
  return out;
}

std::string comparable_reason(std::string_view reason) {
  reason.remove_prefix(end_of_compile_id(reason));
  std::string out;
  out.reserve(reason.size());
  std::size_t at = 0;
  while (at < reason.size()) {
    const std::size_t part = last_part(reason, at);
    if (part > at) {
      at = part;
    } else if (is_decimal(reason[at]) && is_before_place(out)) {
      at = end_of_number(reason, at);
    } else if (reason.substr(at).starts_with("0x") && (at == 0 || !is_word(reason[at - 1]))) {
      out += "0x";
      for (at += 2; at < reason.size() && is_hexadecimal(reason[at]);) ++at;
    } else {
      out += reason[at++];
    }
  }
  return out;
}

}  // namespace benchhud::analysis
