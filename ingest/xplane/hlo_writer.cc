#include "ingest/xplane/hlo_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "ingest/ir/ir_type.h"
#include "schema/base/content_hash.h"

namespace benchhud::ingest {
namespace {

bool is_plain(char c) { return ' ' <= c && c <= '~'; }

// Of one line, so that it is one of the text.
bool is_json_object(std::string_view text) {
  return text.starts_with('{') && std::ranges::all_of(text, is_plain) &&
         bracket_end(text) == text.size();
}

}  // namespace

HloWriter& HloWriter::add_hash(std::string_view left_out) {
  return add("/*").add(schema::content_hash(left_out).hex()).add("*/");
}

HloWriter& HloWriter::add_list(const std::vector<std::int64_t>& numbers) {
  add("{");
  for (std::size_t i = 0; i < numbers.size() && !is_full_; ++i) {
    if (i > 0) add(",");
    add(numbers[i]);
  }
  return add("}");
}

void HloWriter::add_list(std::string_view key, const std::vector<std::int64_t>& numbers) {
  add(", ").add(key).add("=").add_list(numbers);
}

void HloWriter::add_number(std::string_view key, std::int64_t number) {
  add(", ").add(key).add("=").add(number);
}

void HloWriter::add_word(std::string_view key, std::string_view word) {
  add(", ").add(key).add("=").add(word);
}

HloWriter& HloWriter::add_quoted(std::string_view text) {
  add("\"");
  while (!text.empty() && !is_full_) {
    const auto end = static_cast<std::size_t>(
        std::ranges::find_if(text, [](char c) { return !is_plain(c) || c == '"' || c == '\\'; }) -
        text.begin());
    add(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) break;
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '"') {
      add("\\\"");
    } else if (c == '\\') {
      add("\\\\");
    } else if (c == '\n') {
      add("\\n");
    } else if (c == '\t') {
      add("\\t");
    } else if (c == '\r') {
      add("\\r");
    } else {
      add(fmt::format("\\{:03o}", static_cast<unsigned char>(c)));
    }
  }
  return add("\"");
}

HloWriter& HloWriter::add_json_or_quoted(std::string_view text) {
  return is_json_object(text) ? add(text) : add_quoted(text);
}

HloWriter& HloWriter::add_name(std::string_view name) {
  add("%");
  const bool is_usual = !name.empty() && std::ranges::all_of(name, trace::is_of_hlo_name);
  return is_usual ? add(name) : add(trace::hlo_name(name));
}

}  // namespace benchhud::ingest
