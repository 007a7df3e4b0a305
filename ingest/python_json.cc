#include "ingest/python_json.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "ingest/number_text.h"
#include "ingest/text_parts.h"

namespace benchhud::ingest {
namespace {

// Shorter arrays are not worth a mark.
constexpr std::size_t kLongArray = 32;
// Begins the mark of a lifted array, and no other literal.
constexpr char kLifted = '[';

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
  Rewriter(std::string_view text, std::string* out, std::vector<std::string_view>* lifted)
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
    string();
    if (open_.size() > 2) return;
    const std::string_view key = text_.substr(opening, place_ - opening);
    if (open_.size() == 1) in_metrics_ = key == R"("metrics")";
    is_metric_ = open_.size() == 2 && in_metrics_ && key != R"("error")";
  }

  bool lift_array() {
    if (lifted_ == nullptr || !is_metric_ || open_.size() != 2 || open_.back() != '{') return false;
    const std::size_t size = sample_array_size(rest());
    if (size < kLongArray) return false;
    out_ += R"("\u0000)";
    out_ += kLifted;
    out_ += std::to_string(lifted_->size());
    out_ += '"';
    lifted_->push_back(text_.substr(place_, size));
    place_ += size;
    return true;
  }

  void value() {
    const char c = text_[place_];
    if (c == '[' && lift_array()) return after_value();
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

  void after_value() { expect_ = open_.empty() ? Expect::kNothing : Expect::kCommaOrEnd; }

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
    if (rest().starts_with("\\u0000")) out_ += "\\u0000";
    std::size_t copied = place_;
    while (place_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[place_]);
      if (c == '"') {
        ++place_;
        out_.append(text_, copied, place_ - copied);
        return;
      }
      if (c == '\\') {
        const std::size_t size = escape_length();
        if (fault_) return;
        if (is_lone_surrogate()) {
          out_.append(text_, copied, place_ - copied);
          out_ += "\\ufffd";
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
      const int unit = code_unit(place_);
      if (unit < 0) {
        fail("an escape without four hexadecimal digits");
        return 0;
      }
      return is_high(unit) && is_low(code_unit(place_ + 6)) ? 12 : 6;
    }
    if (kind == '\0' || kSimple.find(kind) == kSimple.npos)
      fail("an escape that JSON does not have");
    return 2;
  }

  bool is_lone_surrogate() const {
    const int unit = code_unit(place_);
    return is_low(unit) || (is_high(unit) && !is_low(code_unit(place_ + 6)));
  }

  static bool is_high(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
  static bool is_low(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

  // The UTF-16 code unit of the `\uXXXX` at `at`; -1 if there is none.
  int code_unit(std::size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return -1;
    int unit = 0;
    const char* begin = text_.data() + at + 2;
    if (*begin == '-') return -1;
    const auto result = std::from_chars(begin, begin + 4, unit, 16);
    return result.ec == std::errc() && result.ptr == begin + 4 ? unit : -1;
  }

  void skip_space() {
    while (place_ < text_.size() && std::string_view(" \t\r\n").find(text_[place_]) < 4) ++place_;
  }

  std::string_view rest() const { return text_.substr(place_); }
  void keep_one() { keep(1); }

  void keep(std::size_t size) {
    out_.append(text_, place_, size);
    place_ += size;
  }

  void mark(std::size_t size) {
    out_ += "\"\\u0000";
    keep(size);
    out_.push_back('"');
  }

  void fail(std::string_view what) {
    if (!fault_) fault_ = JsonFault{place_, std::string(what)};
  }

  std::string_view text_;
  std::string& out_;
  std::vector<std::string_view>* const lifted_;  // null: nothing is lifted
  bool in_metrics_ = false;                      // the last key of the outermost object was that
  bool is_metric_ = false;                       // the last key was of a metric
  std::size_t place_ = 0;
  Expect expect_ = Expect::kValue;
  std::string open_;  // the brackets that are open
  std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> rewrite_python_json(std::string_view text, std::string* out,
                                             std::vector<std::string_view>* lifted) {
  return Rewriter(text, out, lifted).run();
}

std::optional<std::size_t> lifted_array(std::string_view literal) {
  if (!literal.starts_with(kLifted)) return std::nullopt;
  return number_of<std::size_t>(literal.substr(1));
}

}  // namespace benchhud::ingest
