#include "analysis/errors/error_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analysis/errors/text_parts.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kReadLimit = 64 * 1024;
constexpr std::size_t kLongestGroup = 40;
constexpr std::size_t kShortestHash = 8;
constexpr std::size_t kLongestCode = 4;

bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr char kEscape = '\x1b';
bool is_space_or_control(char c) {
  return (static_cast<unsigned char>(c) <= 0x20 && c != kEscape) || c == '\x7f';
}
bool is_path(char c) {
  return is_name(c) || c == '/' || c == '.' || c == '-' || c == '~' || c == '+' || c == '@' ||
         c == '%' || c == '=';
}

template <class Predicate>
std::size_t run_length(std::string_view text, Predicate predicate) {
  const auto end = std::find_if_not(text.begin(), text.end(), predicate);
  return static_cast<std::size_t>(end - text.begin());
}

// The length of the UTF-8 character that text begins with, 0 if it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (at(i) & 0xc0U) == 0x80U; };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return continues(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    // No overlong forms, no surrogates.
    const bool allowed = !(lead == 0xe0 && at(1) < 0xa0) && !(lead == 0xed && at(1) > 0x9f);
    return allowed && continues(1) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool allowed = !(lead == 0xf0 && at(1) < 0x90) && !(lead == 0xf4 && at(1) > 0x8f);
    return allowed && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// Whether text begins like `pattern`, in which d is a digit, h a hexadecimal digit, and anything
// else itself.
bool looks_like(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == 'd'   ? !is_digit(text[i])
        : pattern[i] == 'h' ? !is_hex(text[i])
                            : text[i] != pattern[i]) {
      return false;
    }
  }
  return true;
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [text](std::string_view ending) { return text.ends_with(ending); });
}

std::string_view base_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// A file of a compiler's own sources, as its checks print it.
bool is_source_file(std::string_view name) {
  return ends_with_any(name, {".cc", ".cpp", ".cxx", ".c", ".h", ".hpp", ".cu", ".cuh", ".inl"});
}

// Of a run of path characters with a slash: is it a path, or words such as `and/or`?
bool is_path_like(std::string_view run) {
  if (starts_with_any(run, {"/", "~/", "./", "../"})) return run.size() > 1 && run != "//";
  if (std::count(run.begin(), run.end(), '/') >= 2) return true;
  return base_name(run).find('.') != std::string_view::npos;
}

class Reducer {
 public:
  explicit Reducer(std::string_view text) : rest_(text.substr(0, kReadLimit)) {}

  std::string reduce() {
    while (!rest_.empty()) step();
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = rest_.front();
    if (c == kEscape) return skip_escape();
    if (is_space_or_control(c)) return space();
    if (static_cast<unsigned char>(c) >= 0x80) return character();
    if (!after_name_ && is_path(c) && ((is_name(c) && starts_word()) || word())) return;
    if (is_name(c)) return name();
    punctuation();
  }

  void take(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }

  void put(std::string_view text) {
    out_ += text;
    after_name_ = !text.empty() && is_name(text.back());
  }

  void replace(std::size_t count, std::string_view by) {
    take(count);
    put(by);
    after_name_ = false;
  }

  // ESC [ … letter: a terminal's colour.
  void skip_escape() {
    take(1);
    if (rest_.empty() || rest_.front() != '[') return;
    take(1);
    const std::size_t parameters =
        run_length(rest_, [](char c) { return is_digit(c) || c == ';' || c == '?'; });
    take(parameters);
    if (!rest_.empty() && is_letter(rest_.front())) take(1);
  }

  void space() {
    take(run_length(rest_, is_space_or_control));
    if (!out_.empty() && out_.back() != ' ') out_ += ' ';
    after_name_ = false;
  }

  void character() {
    const std::size_t length = utf8_length(rest_);
    if (length == 0) {
      out_ += "\xef\xbf\xbd";
      take(1);
    } else {
      out_ += rest_.substr(0, length);
      take(length);
    }
    after_name_ = false;
  }

  // URLs, dates and UUIDs: what is told by how it begins.
  bool starts_word() {
    if (starts_with_any(rest_, {"http://", "https://", "gs://", "file://", "s3://"})) {
      const std::size_t length = run_length(rest_, [](char c) {
        return !is_space_or_control(c) && c != '"' && c != '\'' && c != '>' && c != ')' && c != '`';
      });
      replace(length, "URL");
      return true;
    }
    if (looks_like(rest_, "dddd-dd-dd")) {
      replace(date_length(), "TIME");
      return true;
    }
    if (looks_like(rest_, "dd:dd:dd")) {
      replace(8 + fraction_length(8), "TIME");
      return true;
    }
    if (looks_like(rest_, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")) {
      replace(36, "ID");
      return true;
    }
    if (rest_.starts_with("0x") && rest_.size() > 2 && is_hex(rest_[2])) {
      replace(2 + run_length(rest_.substr(2), is_hex), "ADDR");
      return true;
    }
    return false;
  }

  std::size_t fraction_length(std::size_t from) const {
    const std::string_view after = rest_.substr(from);
    if (after.size() < 2 || (after[0] != '.' && after[0] != ',') || !is_digit(after[1])) return 0;
    return 1 + run_length(after.substr(1), is_digit);
  }

  // yyyy-mm-dd, with a time behind it if there is one.
  std::size_t date_length() const {
    constexpr std::size_t kDate = 10;
    const std::string_view after = rest_.substr(kDate);
    if (after.empty() || (after[0] != ' ' && after[0] != 'T') ||
        !looks_like(after.substr(1), "dd:dd:dd")) {
      return kDate;
    }
    std::size_t length = kDate + 9;
    length += fraction_length(length);
    const std::string_view zone = rest_.substr(length);
    if (zone.starts_with('Z')) return length + 1;
    if (looks_like(zone, "+dd:dd") || looks_like(zone, "-dd:dd")) return length + 6;
    return length;
  }

  // Paths and hashes: what is told by its whole run. A run is measured once, where it begins.
  bool word() {
    if (rest_.size() > 3 && is_letter(rest_[0]) && rest_[1] == ':' && rest_[2] == '\\') {
      replace(2 + run_length(rest_.substr(2), [](char c) { return is_path(c) || c == '\\'; }),
              "PATH");
      return true;
    }
    if (rest_.size() <= unmeasured_ && is_path(rest_.front())) {
      const std::string_view run = rest_.substr(0, run_length(rest_, is_path));
      unmeasured_ = rest_.size() - run.size();
      // `--flag=/path` and `key=/path` keep their names.
      const auto equals = run.find('=');
      const auto slash = run.find('/');
      if (slash != std::string_view::npos && (equals == std::string_view::npos || slash < equals)) {
        if (path(run)) return true;
      } else if (equals != std::string_view::npos && slash != std::string_view::npos) {
        unmeasured_ = rest_.size() - equals - 1;
      }
    }
    return hash();
  }

  bool path(std::string_view run) {
    // A sentence's full stop is no part of the path.
    while (run.size() > 1 && run.ends_with('.')) run.remove_suffix(1);
    if (!is_path_like(run)) return false;
    const std::string_view file = base_name(run);
    if (is_source_file(file)) {
      take(run.size() - file.size());
      put_and_take(file.size());
      return true;
    }
    replace(run.size(), "PATH");
    return true;
  }

  // Eight or more hexadecimal digits with both a digit and a letter among them.
  bool hash() {
    const std::size_t length = run_length(rest_, is_hex);
    if (length < kShortestHash) return false;
    if (length < rest_.size() && is_name(rest_[length])) return false;
    const std::string_view run = rest_.substr(0, length);
    if (std::none_of(run.begin(), run.end(), is_digit) ||
        std::all_of(run.begin(), run.end(), is_digit)) {
      return false;
    }
    replace(length, "ID");
    return true;
  }

  void name() {
    if (is_digit(rest_.front())) return number();
    const std::string_view name = rest_.substr(0, run_length(rest_, is_name));
    std::size_t at = 0;
    while (at < name.size()) {
      const std::size_t letters = run_length(name.substr(at), [](char c) { return !is_digit(c); });
      const std::string_view stem = name.substr(at, letters);
      at += letters;
      const std::size_t digits = run_length(name.substr(at), is_digit);
      const bool ends_part = at + digits == name.size() || name[at + digits] == '_';
      put(stem);
      put(digits > 0 && ends_part && counts(stem) ? "N" : name.substr(at, digits));
      at += digits;
    }
    take(name.size());
    after_name_ = true;
  }

  void put_and_take(std::size_t length) {
    put(rest_.substr(0, length));
    take(length);
  }

  // Whether the digits after this stem number things of a kind, as in `primals_12` and `buf7`.
  static bool counts(std::string_view stem) {
    return stem.ends_with('_') || stem == "buf" || stem == "arg" || stem == "tmp";
  }

  void number() {
    std::size_t length = run_length(rest_, is_digit);
    // `3D`: a word of the message, not a measure.
    if (length == 1 && rest_.size() > 1 && (rest_[1] == 'D' || rest_[1] == 'd') &&
        (rest_.size() == 2 || !is_name(rest_[2]))) {
      put_and_take(2);
      return;
    }
    if (length <= kLongestCode && is_code()) {
      put_and_take(length);
      return;
    }
    length += decimals(length);
    take(length);
    drop_sign();
    put_number();
    // 4x9, 1024x768x3
    if (rest_.size() > 1 && rest_[0] == 'x' && is_digit(rest_[1])) {
      out_ += 'x';
      take(1);
      return number();
    }
    memory_unit();
  }

  // Whether the number to come names something, as in `exit status 137`.
  bool is_code() const {
    return ends_with_any(out_, {"signal ", "status ", "Errno ", "errno ", "exit code ", "code: "});
  }

  // .5, .5e-3, e6
  std::size_t decimals(std::size_t from) const {
    std::size_t length = fraction_length(from);
    if (length > 0 && rest_[from] == ',') length = 0;
    const std::string_view after = rest_.substr(from + length);
    if (after.size() < 2 || (after[0] != 'e' && after[0] != 'E')) return length;
    const std::size_t sign = after[1] == '-' || after[1] == '+' ? 1 : 0;
    const std::size_t digits = run_length(after.substr(1 + sign), is_digit);
    const std::size_t whole = 1 + sign + digits;
    if (digits == 0 || (whole < after.size() && is_name(after[whole]))) return length;
    return length + whole;
  }

  // -1 and 1 are the same number here, but a-1 keeps its dash.
  void drop_sign() {
    if (out_.empty() || (out_.back() != '-' && out_.back() != '+')) return;
    if (out_.size() > 1 && (is_name(out_[out_.size() - 2]) || out_[out_.size() - 2] == ')')) return;
    out_.pop_back();
  }

  void put_number() {
    for (std::string_view separator : {", ", ","}) {
      const std::string_view out = out_;
      if (!out.ends_with(separator)) continue;
      const std::string_view before = out.substr(0, out.size() - separator.size());
      const bool list = before.ends_with("N...");
      const bool single =
          before.ends_with('N') && (before.size() == 1 || !is_name(before[before.size() - 2]));
      if (!list && !single) continue;
      out_.erase(before.size());
      if (single) out_ += "...";
      after_name_ = false;
      return;
    }
    out_ += 'N';
    after_name_ = false;
  }

  // 158.00 MiB, 6.48G, 16106127360 bytes: amounts of memory differ in unit as well.
  void memory_unit() {
    const std::size_t gap = !rest_.empty() && rest_.front() == ' ' ? 1 : 0;
    const std::string_view unit = rest_.substr(gap, run_length(rest_.substr(gap), is_name));
    constexpr std::array<std::string_view, 14> kUnits = {
        "B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "bytes", "K", "M", "G", "T"};
    const auto* found = std::find(kUnits.begin(), kUnits.end(), unit);
    // A single letter is a unit only where it is glued to its number.
    if (found == kUnits.end() || (gap == 1 && unit.size() == 1 && unit != "B")) return;
    take(gap + unit.size());
    out_ += " bytes";
    after_name_ = false;
  }

  void punctuation() {
    const char c = rest_.front();
    take(1);
    after_name_ = false;
    if (c == '(' || c == '[' || c == '{') {
      open_.push_back({out_.size() + 1, rest_.size()});
    } else if (c == ')' || c == ']' || c == '}') {
      close_group();
    }
    out_ += c;
  }

  void close_group() {
    if (open_.empty()) return;
    const std::size_t begin = std::min(open_.back().begin, out_.size());
    const std::size_t length = open_.back().rest - rest_.size() - 1;
    open_.pop_back();
    // As it was, not as it came out: what is inside may have been shortened, or not, itself.
    if (length <= kLongestGroup) return;
    const bool is_quoted_message =
        out_[begin - 1] == '(' && (out_[begin] == '\'' || out_[begin] == '"');
    if (is_quoted_message) return;
    out_.erase(begin);
    out_ += "...";
  }

  struct Group {
    std::size_t begin = 0;  // where its contents begin in out_
    std::size_t rest = 0;   // how much was to be read then
  };

  std::string_view rest_;
  std::string out_;
  std::vector<Group> open_;              // the brackets that are open
  bool after_name_ = false;              // the last character put belongs to a name
  std::size_t unmeasured_ = kReadLimit;  // what is left behind the last run that was looked at
};

std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  constexpr std::string_view kMark = "...";
  std::size_t end = limit > kMark.size() ? limit - kMark.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  text.resize(end);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (limit >= kMark.size()) text += kMark;
  return text;
}

}  // namespace

std::string reduce_message(std::string_view text, std::size_t limit) {
  return cut(Reducer(text).reduce(), limit);
}

}  // namespace benchhud::analysis
