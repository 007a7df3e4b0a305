#include "markdown.h"

#include "options.h"

namespace benchhud::cli {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
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
