#include "analysis/profiles/comparable_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schema/base/ascii.h"

namespace benchhud::analysis {

using schema::is_digit;

namespace {

constexpr std::string_view kBlank = " \t\r";
// By which Inductor tells the kernels of one version of itself from those of another.
constexpr std::string_view kCompilerHash = "'backend_hash': '";

bool is_word(char c) { return is_digit(c) || schema::is_letter(c) || c == '_'; }

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
  while (at < text.size() && is_digit(text[at])) ++at;
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
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// So many digits only an address has that is printed in decimals: sizes and counts have fewer.
constexpr std::size_t kDigitsOfAddress = 12;

// Tells which numbers of a guard name an object of one process or count what happened in it:
// "___check_obj_id(L['m'], 140576345756128)", "id=140234", "___dict_version(L['m']) == 7". A
// reason is followed character by character, so that it takes no longer than its length.
class NumbersOfProcess {
 public:
  // Of a character that was put at the end of `out`.
  void follow(const std::string& out) {
    if (out.back() == '(') {
      const std::string_view name = std::string_view(out).substr(0, out.size() - 1);
      calls_.push_back(name.ends_with("dict_version") || is_call_of_id(name) ? Call::kIsNumber
                       : name.ends_with("_id")                               ? Call::kTakesNumber
                                                                             : Call::kOther);
    } else if (out.back() == ')' && !calls_.empty()) {
      if (calls_.back() == Call::kIsNumber) end_of_number_call_ = out.size();
      calls_.pop_back();
    }
  }

  // Of a number of so many digits that comes behind `out`.
  bool has(std::string_view out, std::size_t digits) const {
    if (out.ends_with('.')) return false;  // behind a decimal point
    if (digits >= kDigitsOfAddress) return true;
    if (out.ends_with("id=")) return true;
    if (!calls_.empty() && calls_.back() == Call::kTakesNumber && out.ends_with(", ")) return true;
    constexpr std::string_view kEquals = " == ";
    return end_of_number_call_ > 0 && out.ends_with(kEquals) &&
           out.size() == end_of_number_call_ + kEquals.size();
  }

 private:
  enum class Call : std::uint8_t { kOther, kTakesNumber, kIsNumber };

  static bool is_call_of_id(std::string_view name) {
    return name.ends_with("id") && (name.size() == 2 || !is_word(name[name.size() - 3]));
  }

  std::vector<Call> calls_;             // that are open
  std::size_t end_of_number_call_ = 0;  // of the last call that gives such a number
};

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
  NumbersOfProcess numbers;
  std::size_t at = 0;
  while (at < reason.size()) {
    const std::size_t part = last_part(reason, at);
    const std::size_t end = end_of_number(reason, at);
    const bool is_hexadecimal_number =
        reason.substr(at).starts_with("0x") && (at == 0 || !is_word(reason[at - 1]));
    if (part > at) {
      at = part;
    } else if (is_hexadecimal_number) {
      out += "0x";
      for (at += 2; at < reason.size() && is_hexadecimal(reason[at]);) ++at;
    } else if (end > at && (is_before_place(out) || numbers.has(out, end - at))) {
      at = end;
    } else if (end > at) {
      out += reason.substr(at, end - at);
      at = end;
    } else {
      out += reason[at++];
      numbers.follow(out);
    }
  }
  return out;
}

}  // namespace benchhud::analysis
