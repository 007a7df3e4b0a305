// Text as it stands in XML, in elements and in attributes.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::schema {

/// Whether line feeds stay, as in the text of an element, or are replaced, as in a line.
enum class XmlLines : bool { kOne, kMany };

/// `text` (UTF-8) with &, <, > and " escaped, and U+FFFD for what XML 1.0 (section 2.2) does not
/// even let be escaped: control characters, U+FFFE and U+FFFF.
std::string xml_text(std::string_view text, XmlLines lines = XmlLines::kOne);

}  // namespace benchhud::schema
