#include "schema/base/xml_text.h"

namespace benchhud::schema {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

std::string xml_text(std::string_view text, XmlLines lines) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view three = text.substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {  // U+FFFE, U+FFFF
      escaped += kReplacement;
      i += 2;
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if ((static_cast<unsigned char>(c) < 0x20 || c == '\x7f') &&
               !(c == '\n' && lines == XmlLines::kMany)) {
      escaped += kReplacement;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace benchhud::schema
