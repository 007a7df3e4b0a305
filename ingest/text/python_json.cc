#include "ingest/text/python_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>

#include "ingest/text/json_text.h"
#include "ingest/text/number_text.h"
#include "ingest/text/quoted_text.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {
namespace {

// Shorter values are not worth a mark.
constexpr std::size_t kLongValue = 32;
// Begins the mark of a lifted value, and no other literal.
constexpr char kLifted = '[';

// Members of a line that mean something, with their quotes. They are short, or wrong.
constexpr std::array<std::string_view, 9> kMeaningful = {R"("model")",
                                                         R"("experiment")",
                                                         R"("metrics")",
                                                         R"("timestamp")",
                                                         R"("repeat")",
                                                         R"("iterations_per_run")",
                                                         R"("verification_code")",
                                                         R"("verification_mean_rel_error")",
                                                         R"("benchhud_line")"};

// The length of the UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if ((lead == 0xE0 && at(1) < 0xA0) || (lead == 0xED && at(1) > 0x9F)) return 0;
    return continues(1) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if ((lead == 0xF0 && at(1) < 0x90) || (lead == 0xF4 && at(1) > 0x8F)) return 0;
    return continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

bool is_high(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// The UTF-16 code unit of the `\uXXXX` at `at`; -1 if there is none.
int code_unit(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  int unit = 0;
  const char* begin = text.data() + at + 2;
  if (*begin == '-') return -1;
  const auto result = std::from_chars(begin, begin + 4, unit, 16);
  return result.ec == std::errc() && result.ptr == begin + 4 ? unit : -1;
}

bool is_lone_surrogate(std::string_view text, std::size_t at) {
  const int unit = code_unit(text, at);
  return is_low(unit) || (is_high(unit) && !is_low(code_unit(text, at + 6)));
}

// Whether a strict parser has a type for the number: a 64-bit integer or a finite double.
bool is_representable(std::string_view number, bool is_integer) {
  const char* begin = number.data();
  const char* end = begin + number.size();
  if (is_integer) {
    std::int64_t as_signed = 0;
    std::uint64_t as_unsigned = 0;
    return std::from_chars(begin, end, as_signed).ec == std::errc() ||
           std::from_chars(begin, end, as_unsigned).ec == std::errc();
  }
  return std::isfinite(nearest_double(number));
}

class Rewriter {
 public:
  Rewriter(std::string_view text, std::string* out, LiftedValues* lifted)
      : text_(text), out_(*out), lifted_(lifted) {}

  std::optional<JsonFault> run() {
    out_.clear();
    // What is lifted out may be most of a text.
    if (lifted_ == nullptr) out_.reserve(text_.size() + 64);
    skip_space();
    while (!fault_ && (expect_ != Expect::kNothing || place_ < text_.size())) {
      if (place_ >= text_.size()) {
        fail("the line ends too early");
      } else {
        step();
        skip_space();
      }
    }
    return std::move(fault_);
  }

 private:
  enum class Expect { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kCommaOrEnd, kNothing };

  void step() {
    const char c = text_[place_];
    switch (expect_) {
      case Expect::kNothing:
        return fail("something follows the end of the object");
      case Expect::kColon:
        if (c != ':') return fail("expected ':'");
        keep_one();
        expect_ = Expect::kValue;
        return;
      case Expect::kKey:
      case Expect::kKeyOrEnd:
        if (c == '}' && expect_ == Expect::kKeyOrEnd) return close();
        if (c != '"') {
          return fail(expect_ == Expect::kKey ? "expected a key in quotes"
                                              : "expected a key in quotes or '}'");
        }
        key();
        expect_ = Expect::kColon;
        return;
      case Expect::kCommaOrEnd: {
        const char end = open_.back() == '{' ? '}' : ']';
        if (c == end) return close();
        if (c != ',') return fail(end == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
        keep_one();
        expect_ = end == '}' ? Expect::kKey : Expect::kValue;
        return;
      }
      case Expect::kValueOrEnd:
        if (c == ']') return close();
        return value();
      case Expect::kValue:
        return value();
    }
  }

  // Keys with escapes are not recognised: what they name is just not lifted.
  void key() {
    const std::size_t opening = place_;
    count_depth();
    string();
    if (lifted_ == nullptr || open_.size() > 2) return;
    const std::string_view key = text_.substr(opening, place_ - opening);
    if (open_.size() == 1) {
      in_metrics_ = key == R"("metrics")";
      // A key with an escape in it may be any of those that mean something.
      may_lift_ = std::find(kMeaningful.begin(), kMeaningful.end(), key) == kMeaningful.end() &&
                  key.find('\\') == key.npos;
    } else if (in_metrics_) {
      may_lift_ = true;
      if (++lifted_->metrics > lifted_->most_metrics) {
        exceed("more than " + std::to_string(lifted_->most_metrics) + " metrics");
      }
    }
  }

  // Whether the value that begins here is the last key's own, and may be kept from the parser.
  bool is_liftable() const {
    return lifted_ != nullptr && may_lift_ && !lift_begin_ && open_.back() == '{' &&
           open_.size() == (in_metrics_ ? 2 : 1);
  }

  // Leaves the value from `begin` to the place out of what is written.
  void lift(std::size_t begin) {
    put(R"("\u0000)");
    put({&kLifted, 1});
    put(std::to_string(lifted_->values.size()));
    put("\"");
    lifted_->values.push_back(text_.substr(begin, place_ - begin));
  }

  bool lift_samples() {
    const std::size_t size = sample_array_size(rest());
    if (size < kLongValue) return false;
    const std::string_view array = text_.substr(place_, size);
    lifted_->samples += static_cast<std::size_t>(std::count(array.begin(), array.end(), ',')) + 1;
    if (lifted_->samples > lifted_->most_samples) {
      exceed("more than " + std::to_string(lifted_->most_samples) + " samples");
    }
    const std::size_t begin = place_;
    place_ += size;
    lift(begin);
    return true;
  }

  // At the end of the value that began where lifting did. Of one that is not worth a mark nothing
  // was written yet: it is read again.
  void end_lifting() {
    const std::size_t begin = *std::exchange(lift_begin_, std::nullopt);
    if (place_ - begin >= kLongValue) return lift(begin);
    place_ = begin;
    may_lift_ = false;
    value();
  }

  // Brackets with nothing between them do not count.
  void count_depth() {
    if (lifted_ != nullptr) lifted_->deepest = std::max(lifted_->deepest, open_.size());
  }

  void value() {
    const char c = text_[place_];
    count_depth();
    if ((c == '[' || c == '{' || c == '"') && is_liftable()) {
      if (in_metrics_ && c == '[' && lift_samples()) return after_value();
      lift_begin_ = place_;
      lift_depth_ = open_.size();
    }
    if (c == '{' || c == '[') {
      open_.push_back(c);
      keep_one();
      expect_ = c == '{' ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
      return;
    }
    if (c == '"') {
      string();
    } else if (is_digit(c) || (c == '-' && !rest().starts_with("-Infinity"))) {
      number();
    } else {
      word();
    }
    after_value();
  }

  void close() {
    open_.pop_back();
    keep_one();
    after_value();
  }

  void after_value() {
    expect_ = open_.empty() ? Expect::kNothing : Expect::kCommaOrEnd;
    if (lift_begin_ && !fault_ && open_.size() == lift_depth_) end_lifting();
  }

  void word() {
    for (const std::string_view known : {"true", "false", "null"}) {
      if (rest().starts_with(known)) return keep(known.size());
    }
    for (const std::string_view known : {"NaN", "Infinity", "-Infinity"}) {
      if (rest().starts_with(known)) return mark(known.size());
    }
    fail("expected a value");
  }

  void number() {
    const NumberText number = scan_number(rest());
    if (number.fault != nullptr) return fail(number.fault);
    if (is_representable(rest().substr(0, number.size), number.is_integer)) {
      keep(number.size);
    } else {
      mark(number.size);
    }
  }

  void string() {
    const std::size_t opening = place_;
    keep_one();
    if (rest().starts_with("\\u0000")) put("\\u0000");
    std::size_t copied = place_;
    while (place_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[place_]);
      if (c == '"') {
        ++place_;
        put(text_.substr(copied, place_ - copied));
        return;
      }
      if (c == '\\') {
        const std::size_t size = escape_length();
        if (fault_) return;
        if (is_lone_surrogate(text_, place_)) {
          put(text_.substr(copied, place_ - copied));
          put("\\ufffd");
          copied = place_ + size;
        }
        place_ += size;
      } else if (c < 0x20) {
        return fail("a control character in a string");
      } else {
        const std::size_t size = c < 0x80 ? 1 : utf8_length(rest());
        if (size == 0) return fail("not UTF-8");
        place_ += size;
      }
    }
    place_ = opening;
    fail("the line ends inside a string that begins");
  }

  // The length of the escape at the place; a pair of surrogates is one escape.
  std::size_t escape_length() {
    constexpr std::string_view kSimple = "\"\\/bfnrt";
    const char kind = place_ + 1 < text_.size() ? text_[place_ + 1] : '\0';
    if (kind == 'u') {
      const int unit = code_unit(text_, place_);
      if (unit < 0) {
        fail("an escape without four hexadecimal digits");
        return 0;
      }
      return is_high(unit) && is_low(code_unit(text_, place_ + 6)) ? 12 : 6;
    }
    if (kind == '\0' || kSimple.find(kind) == kSimple.npos)
      fail("an escape that JSON does not have");
    return 2;
  }

  void skip_space() {
    while (place_ < text_.size() && std::string_view(" \t\r\n").find(text_[place_]) < 4) ++place_;
  }

  std::string_view rest() const { return text_.substr(place_); }
  void keep_one() { keep(1); }

  void keep(std::size_t size) {
    put(text_.substr(place_, size));
    place_ += size;
  }

  void mark(std::size_t size) {
    put("\"\\u0000");
    keep(size);
    put("\"");
  }

  // Nothing is written of a value that is being lifted.
  void put(std::string_view text) {
    if (lift_begin_) return;
    out_ += text;
    if (lifted_ != nullptr && out_.size() > lifted_->most_rewritten) {
      exceed("more than " + std::to_string(lifted_->most_rewritten) +
             " bytes beside the values of its metrics");
    }
  }

  void fail(std::string_view what) {
    if (!fault_) fault_ = JsonFault{place_, std::string(what)};
  }

  void exceed(std::string_view what) {
    if (!fault_) lifted_->exceeds_budget = true;
    fail(what);
  }

  std::string_view text_;
  std::string& out_;
  LiftedValues* const lifted_;             // null: nothing is lifted
  bool in_metrics_ = false;                // the last key of the outermost object was that
  bool may_lift_ = false;                  // the last key's value
  std::optional<std::size_t> lift_begin_;  // of the value that is being lifted
  std::size_t lift_depth_ = 0;             // brackets around it
  std::size_t place_ = 0;
  Expect expect_ = Expect::kValue;
  std::string open_;  // the brackets that are open
  std::optional<JsonFault> fault_;
};

// The length of the string, quotes and all, that a valid text begins with.
std::size_t string_size(std::string_view text) {
  std::size_t at = 1;
  for (;;) {
    at = text.find_first_of("\"\\", at);
    if (text[at] == '"') return at + 1;
    at += 2;
  }
}

// Appends what the escape at the start of a valid text stands for, half of a pair of surrogates as
// U+FFFD. Returns the escape's length.
std::size_t append_unescaped(std::string_view text, std::string* out) {
  constexpr std::string_view kLetters = "bfnrt", kMeant = "\b\f\n\r\t";
  if (text[1] != 'u') {
    const std::size_t letter = kLetters.find(text[1]);
    out->push_back(letter == kLetters.npos ? text[1] : kMeant[letter]);
    return 2;
  }
  const int unit = code_unit(text, 0);
  if (!is_high(unit) || is_lone_surrogate(text, 0)) {
    append_utf8(static_cast<std::uint32_t>(unit), out);
    return 6;
  }
  const auto high = static_cast<std::uint32_t>(unit - 0xD800);
  const auto low = static_cast<std::uint32_t>(code_unit(text, 6) - 0xDC00);
  append_utf8(0x10000 + (high << 10 | low), out);
  return 12;
}

// A string with its quotes, escapes in the one way in which they are written.
void append_string(std::string_view quoted, std::string* out) {
  std::size_t at = 0;
  for (std::size_t escape; (escape = quoted.find('\\', at)) != quoted.npos;) {
    out->append(quoted, at, escape - at);
    std::string meant;
    at = escape + append_unescaped(quoted.substr(escape), &meant);
    append_json_text(meant, out);
  }
  out->append(quoted, at);
}

}  // namespace

std::optional<JsonFault> rewrite_python_json(std::string_view text, std::string* out,
                                             LiftedValues* lifted) {
  return Rewriter(text, out, lifted).run();
}

std::optional<std::size_t> lifted_value(std::string_view literal) {
  if (!literal.starts_with(kLifted)) return std::nullopt;
  return number_of<std::size_t>(literal.substr(1));
}

void append_lifted(std::string_view text, std::string* out) {
  while (!text.empty()) {
    const char c = text.front();
    std::size_t size = 1;
    if (c == '"') {
      size = string_size(text);
      append_string(text.substr(0, size), out);
    } else if (is_digit(c) || (c == '-' && !text.starts_with("-I"))) {
      const NumberText number = scan_number(text);
      size = number.size;
      append_number_text(text.substr(0, size), number.is_integer, out);
    } else if (c == 'N' || c == 'I' || c == '-') {
      size = c == 'N' ? 3 : c == 'I' ? 8 : 9;  // NaN, Infinity, -Infinity
      append_json_string(text.substr(0, size), out);
    } else if (c > ' ') {
      out->push_back(c);  // a bracket, a comma, a colon, or a letter of a word
    }
    text.remove_prefix(size);
  }
}

std::string lifted_string(std::string_view quoted) {
  std::string text;
  quoted = quoted.substr(1, quoted.size() - 2);
  while (!quoted.empty()) {
    const std::size_t plain = std::min(quoted.find('\\'), quoted.size());
    text += quoted.substr(0, plain);
    quoted.remove_prefix(plain);
    if (!quoted.empty()) quoted.remove_prefix(append_unescaped(quoted, &text));
  }
  return text;
}

}  // namespace benchhud::ingest
