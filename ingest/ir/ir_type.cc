#include "ingest/ir/ir_type.h"

#include <algorithm>
#include <utility>

#include "ingest/text/text_parts.h"
#include "schema/base/ascii.h"

namespace benchhud::ingest {
namespace {

// Real graphs have thousands of parameters.
constexpr std::size_t kMostParts = 100'000;

// The bytes of an element by its type's name: "bf16", "s4", "pred", "ui8", "c64", "f8e4m3fn".
std::optional<std::int64_t> element_bytes(std::string_view name) {
  if (name == "pred") return 1;
  if (name == "token" || name == "opaque") return 0;
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == name.npos) return std::nullopt;
  static constexpr std::string_view kFamilies[] = {"f", "bf", "tf", "s", "u", "i", "si", "ui", "c"};
  const std::string_view family = name.substr(0, digits);
  if (std::find(std::begin(kFamilies), std::end(kFamilies), family) == std::end(kFamilies)) {
    return std::nullopt;
  }
  const std::size_t end = std::min(name.find_first_not_of("0123456789", digits), name.size());
  const auto bits = number_of<std::int64_t>(name.substr(digits, end - digits));
  if (!bits || *bits == 0 || *bits > 1024) return std::nullopt;
  return (*bits + 7) / 8;
}

// The product and the sum, if they fit.
bool multiply(std::int64_t factor, std::int64_t* value) {
  return factor >= 0 && !__builtin_mul_overflow(*value, factor, value);
}
bool add(std::int64_t summand, std::int64_t* value) {
  return !__builtin_add_overflow(*value, summand, value);
}

// How far a string goes that begins at `at`: behind its closing quote, or one byte where it does
// not end on its line. `*no_quote` remembers up to where no string ends.
std::size_t string_end(std::string_view text, std::size_t at, std::size_t* no_quote) {
  if (at < *no_quote) return at + 1;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\n') {
      *no_quote = i;
      return at + 1;
    }
    if (text[i] == '\\') ++i;
  }
  *no_quote = text.size();
  return at + 1;
}

// Calls on(place, depth before, depth after) at each bracket and comma; goes on while it is true.
template <class On>
void walk(std::string_view text, bool angles, On on) {
  std::int64_t depth = 0;
  std::size_t no_quote = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    std::int64_t step = 0;
    if (c == '"') {
      i = string_end(text, i, &no_quote);
      continue;
    }
    if (c == '-' && next == '>') {
      i += 2;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || (angles && c == '<' && next != '=')) step = 1;
    if (c == ')' || c == ']' || c == '}' || (angles && c == '>' && next != '=')) step = -1;
    if (step != 0 || c == ',') {
      if (!on(i, depth, depth + step)) return;
      depth = std::max<std::int64_t>(depth + step, 0);
    }
    ++i;
  }
}

}  // namespace

std::optional<std::int64_t> xla_type_bytes(std::string_view type) {
  std::int64_t sum = 0;
  bool has_array = type.starts_with("()");
  std::size_t at = 0;
  while (at < type.size()) {
    if (type.substr(at).starts_with("/*")) {
      at = type.find("*/", at);
      if (at == type.npos) break;
      at += 2;
    } else if (type[at] == '{') {
      // A layout.
      const std::size_t size = bracket_end(type.substr(at));
      if (size == type.npos) break;
      at += size;
    } else if (schema::is_letter(type[at])) {
      std::size_t end = at;
      while (end < type.size() && (schema::is_letter(type[end]) || is_digit(type[end]))) ++end;
      if (end == type.size() || type[end] != '[') return std::nullopt;
      const std::size_t close = type.find(']', end);
      auto bytes = element_bytes(type.substr(at, end - at));
      if (!bytes || close == type.npos) return std::nullopt;
      for (std::string_view size : split_list(type.substr(end + 1, close - end - 1))) {
        if (size.starts_with("<=")) size.remove_prefix(2);
        const auto number = number_of<std::int64_t>(size);
        if (!number || !multiply(*number, &*bytes)) return std::nullopt;
      }
      if (!add(*bytes, &sum)) return std::nullopt;
      has_array = true;
      at = close + 1;
    } else {
      ++at;
    }
  }
  return has_array ? std::optional(sum) : std::nullopt;
}

std::optional<std::int64_t> mlir_type_bytes(std::string_view type) {
  constexpr std::string_view kTensor = "tensor<";
  if (type == "!stablehlo.token" || type == "!mhlo.token") return 0;
  std::int64_t sum = 0;
  bool has_tensor = false;
  for (std::size_t at = type.find(kTensor); at != type.npos; at = type.find(kTensor, at)) {
    at += kTensor.size();
    std::int64_t bytes = 1;
    while (at < type.size() && is_digit(type[at])) {
      const std::size_t end = type.find('x', at);
      if (end == type.npos) return std::nullopt;
      const auto number = number_of<std::int64_t>(type.substr(at, end - at));
      if (!number || !multiply(*number, &bytes)) return std::nullopt;
      at = end + 1;
    }
    std::string_view element = type.substr(at, type.find_first_of(",>:", at) - at);
    if (element.starts_with("complex<")) {
      element.remove_prefix(8);
      bytes = multiply(2, &bytes) ? bytes : -1;
    } else if (element.starts_with("!quant.")) {
      // What it is stored as: "!quant.uniform<i8<-127:127>:f32, 1.0>".
      element.remove_prefix(std::min(element.find('<') + 1, element.size()));
      element = element.substr(0, element.find('<'));
    }
    const auto size = element_bytes(trim(element));
    if (bytes < 0 || !size || !multiply(*size, &bytes) || !add(bytes, &sum)) return std::nullopt;
    has_tensor = true;
  }
  return has_tensor ? std::optional(sum) : std::nullopt;
}

std::size_t bracket_end(std::string_view text, bool angles) {
  std::size_t end = text.npos;
  walk(text, angles, [&](std::size_t place, std::int64_t, std::int64_t after) {
    if (after > 0) return true;
    end = place + 1;
    return false;
  });
  return end;
}

std::vector<std::string_view> split_list(std::string_view text, bool angles) {
  std::vector<std::string_view> parts;
  if (trim(text).empty()) return parts;
  std::size_t begin = 0;
  walk(text, angles, [&](std::size_t place, std::int64_t before, std::int64_t after) {
    if (before <= 0 && after == before) {
      if (parts.size() == kMostParts) return false;
      parts.push_back(trim(text.substr(begin, place - begin)));
      begin = place + 1;
    }
    return true;
  });
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

std::string without_layout(std::string_view type, std::size_t most) {
  std::string shape;
  std::int64_t depth = 0;
  for (std::size_t i = 0; i < type.size() && shape.size() <= most; ++i) {
    const char c = type[i];
    if (c == '/' && i + 1 < type.size() && type[i + 1] == '*') {
      i = type.find("*/", i);
      if (i == type.npos) break;
      ++i;
      continue;
    }
    if (c == '{') ++depth;
    if (depth == 0 && c != ' ' && c != '\t' && c != '\r' && c != '\n') shape += c;
    if (c == '}' && depth > 0) --depth;
  }
  return shortened(shape, most);
}

std::string without_comments(std::string_view type) {
  std::string result;
  while (!type.empty()) {
    const std::size_t begin = std::min(type.find("/*"), type.size());
    result.append(type, 0, begin);
    const std::size_t end = type.find("*/", begin);
    type.remove_prefix(end == type.npos ? type.size() : end + 2);
  }
  return std::string(trim(result));
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string result;
  text = trim(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_blank = text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n';
    if (is_blank && !result.empty() && result.back() == ' ') continue;
    if (result.size() == most) {
      // Not in the middle of a character.
      while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xC0U) == 0x80U) {
        result.pop_back();
      }
      if (!result.empty() && (static_cast<unsigned char>(result.back()) & 0x80U) != 0) {
        result.pop_back();
      }
      return result + "…";
    }
    result += is_blank ? ' ' : text[i];
  }
  return result;
}

}  // namespace benchhud::ingest
