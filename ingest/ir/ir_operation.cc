#include "ingest/ir/ir_operation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ingest/ir/ir_module_builder.h"
#include "ingest/ir/ir_type.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::IrContraction;

namespace {

constexpr std::size_t kMostListedOperands = 16;

// Of a function type, "(A, B) -> C": the part before and behind the arrow.
std::pair<std::string_view, std::string_view> arrow_parts(std::string_view type) {
  const std::size_t size = type.starts_with('(') ? bracket_end(type, true) : type.npos;
  const std::string_view behind = size == type.npos ? type : trim(type.substr(size));
  if (!behind.starts_with("->")) return {{}, type};
  return {type.substr(1, size - 2), trim(behind.substr(2))};
}

// "tensor<2xf32> {jax.result_info = \"\"} loc(#loc)" without what stands behind the type.
std::string_view bare_type(std::string_view type) {
  std::size_t at = 0;
  if (type.starts_with('(')) {
    at = std::min(bracket_end(type, true), type.size());
  } else {
    const std::size_t angle = type.find('<');
    at = std::min({type.find(" {"), type.find(" loc("), type.size()});
    if (angle < at) {
      const std::size_t size = bracket_end(type.substr(angle), true);
      at = size == type.npos ? type.size() : angle + size;
    }
  }
  return trim(type.substr(0, at));
}

std::vector<std::string_view> list_or_one(std::string_view type) {
  if (type.starts_with('(')) {
    const std::size_t size = bracket_end(type, true);
    if (size != type.npos) return split_list(type.substr(1, size - 2), true);
  }
  if (type.empty()) return {};
  return {type};
}

// The colon before an operation's type: the last outside of brackets and strings.
std::size_t type_colon(std::string_view body) {
  std::size_t colon = body.npos;
  for (std::size_t at = 0; at < body.size();) {
    const char c = body[at];
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      const std::size_t size = bracket_end(body.substr(at), true);
      if (size == body.npos) break;
      at += size;
      continue;
    }
    if (c == ':') colon = at;
    ++at;
  }
  return colon;
}

// How much of "(%0, %1) dim_numbers = …" or "%0, %1, contracting_dims = …" are the operands.
std::size_t operands_size(std::string_view text) {
  if (text.starts_with('(')) return std::min(bracket_end(text), text.size());
  std::size_t size = 0, at = 0;
  while (at < text.size() && text[at] == '%') {
    ++at;
    while (at < text.size() && (is_name_start(text[at]) || is_digit(text[at]) || text[at] == '#' ||
                                text[at] == '.' || text[at] == '$' || text[at] == '-')) {
      ++at;
    }
    size = at;
    at = std::min(text.find_first_not_of(", \t\r\n", at), text.size());
  }
  return size;
}

// A function's body from its name on.
std::string_view without_visibility(std::string_view body, bool* is_public = nullptr) {
  for (const std::string_view word : {"public ", "private ", "nested "}) {
    if (!body.starts_with(word)) continue;
    if (is_public != nullptr) *is_public &= word == "public ";
    body = trim(body.substr(word.size()));
  }
  return body;
}

}  // namespace

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() &&
         (is_name_start(text[at]) || is_digit(text[at]) || text[at] == '.' || text[at] == '$')) {
    ++at;
  }
  return at;
}

std::string_view plain_name(std::string_view op) { return op.substr(op.rfind('.') + 1); }

std::string_view symbol(std::string_view text) {
  text.remove_prefix(1);
  if (text.starts_with('"')) {
    return text.substr(1, std::max(text.find('"', 1), std::size_t{1}) - 1);
  }
  std::size_t end = 0;
  while (end < text.size() && (is_name_start(text[end]) || is_digit(text[end]) ||
                               text[end] == '.' || text[end] == '$' || text[end] == '-')) {
    ++end;
  }
  return text.substr(0, end);
}

std::string_view quoted_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == text.npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find('"'));
}

bool is_contraction(std::string_view op) {
  const std::string_view name = plain_name(op);
  return op.size() > name.size() && (name == "convolution" || name == "dynamic_conv" ||
                                     name == "dot" || name == "dot_general" || name == "conv");
}

IrContraction contraction_of(std::string_view op, std::string_view body) {
  const std::size_t colon = type_colon(body);
  const std::string_view type = colon == body.npos ? "" : trim(body.substr(colon + 1));
  const std::string_view before = trim(body.substr(0, colon));
  const std::size_t operands_end = operands_size(before);
  IrContraction contraction;
  contraction.op = shortened(op, kLongestShape);
  const auto [operands, result] = arrow_parts(type);
  const auto shape = [](std::string_view part) {
    return part.empty() ? std::string("?") : shortened(bare_type(part), kLongestShape);
  };
  contraction.result = shape(result);
  if (operands.data() != nullptr) {
    for (const std::string_view operand : split_list(operands, true)) {
      if (contraction.operands.size() == kMostListedOperands) break;
      contraction.operands.push_back(shape(operand));
    }
  } else {
    // One type for all: as many operands as there are names.
    const std::string_view names = before.substr(0, operands_end);
    const auto count = static_cast<std::size_t>(std::count(names.begin(), names.end(), '%'));
    contraction.operands.assign(std::min(count, kMostListedOperands), contraction.result);
  }
  std::string_view dimensions = trim(before.substr(operands_end));
  if (dimensions.starts_with(',')) dimensions = trim(dimensions.substr(1));
  contraction.dimensions = shortened(dimensions, kLongestDimensions);
  return contraction;
}

std::string_view call_target(std::string_view body) {
  const std::string_view target =
      body.starts_with('@') ? symbol(body) : quoted_behind(body, "call_target_name = \"");
  return target.empty() ? "?" : target;
}

std::string_view applied_op(std::string_view body) {
  constexpr std::string_view kApplies = " applies ";
  const std::size_t at = body.find(kApplies);
  if (at == body.npos) return {};
  body.remove_prefix(at + kApplies.size());
  return body.substr(0, word_end(body, 0));
}

int entry_rank(std::string_view body) {
  bool is_public = true;
  body = without_visibility(body, &is_public);
  const bool is_main = body.starts_with('@') ? symbol(body) == "main"
                                             : body.find("sym_name = \"main\"") != body.npos;
  return is_main ? 2 : is_public ? 1 : 0;
}

IrSignature signature_of(std::string_view body) {
  IrSignature signature;
  body = without_visibility(body);
  if (!body.starts_with('@')) {
    // The generic form, "(…) <{function_type = (A) -> B, sym_name = \"main\"}> ({": without
    // names.
    constexpr std::string_view kKey = "function_type = ";
    const std::size_t at = body.find(kKey);
    if (at == body.npos) return signature;
    body.remove_prefix(at + kKey.size());
  } else {
    body.remove_prefix(std::min(body.find('('), body.size()));
  }
  const std::size_t size = body.starts_with('(') ? bracket_end(body, true) : body.npos;
  if (size == body.npos) return signature;
  for (const std::string_view part : split_list(body.substr(1, size - 2), true)) {
    const bool has_name = part.starts_with('%') && part.find(':') != part.npos;
    const std::size_t colon = has_name ? part.find(':') : 0;
    const std::string_view type = has_name ? trim(part.substr(colon + 1)) : part;
    signature.parameters.push_back(
        {std::string(trim(part.substr(0, colon))), std::string(bare_type(type))});
  }
  const std::string_view behind = trim(body.substr(size));
  if (!behind.starts_with("->")) return signature;
  std::string_view results = trim(behind.substr(2));
  // The generic form goes on with other attributes.
  const auto attributes = split_list(results, true);
  if (!attributes.empty()) results = attributes.front();
  for (const std::string_view part : list_or_one(results)) {
    signature.results.push_back({"", std::string(bare_type(part))});
  }
  return signature;
}
}  // namespace benchhud::ingest
