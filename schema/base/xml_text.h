// Text as it stands in XML, in elements and in attributes.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::analysis {

/// `text` (UTF-8) with &, <, > and " escaped, and U+FFFD for what XML 1.0 (section 2.2) does not
/// even let be escaped: control characters, U+FFFE and U+FFFF.
std::string xml_text(std::string_view text);

}  // namespace benchhud::analysis
