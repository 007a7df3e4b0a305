#include "cli/output/markdown.h"

#include <cctype>

#include "cli/options/options.h"

namespace benchhud::cli {

namespace {

// Mentions and references are made of the finished text, whatever was escaped: an invisible space
// (U+200B) keeps their two parts from each other.
constexpr std::string_view kInvisibleSpace = "\xE2\x80\x8B";

bool is_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Whether `text` up to here (its end included) and what follows would be a mention or a reference
/// to an issue: @name, #12, GH-12.
bool is_split_after(std::string_view before, char next) {
  const char last = before.empty() ? '\0' : before.back();
  if (last == '@') return is_word(next);
  const bool is_digit = next >= '0' && next <= '9';
  if (last == '#') return is_digit;
  return is_digit && (before.ends_with("GH-") || before.ends_with("gh-") ||
                      before.ends_with("Gh-") || before.ends_with("gH-"));
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  const std::string plain = printable(text);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    if (is_split_after(std::string_view(plain).substr(0, i), c)) out += kInvisibleSpace;
    if (std::string_view("\\`*_{}[]<>#|~&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  std::string fence = "`";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  const std::string space = fence.size() > 1 ? " " : "";
  return fence + space + printable(text) + space + fence;
}

}  // namespace benchhud::cli
