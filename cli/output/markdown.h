// Text from files within Markdown.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::cli {

/// Text that Markdown takes as it is: in a table cell too, outside of code.
std::string markdown_text(std::string_view text);

/// A name as code. A fence of more backticks than the text holds in a row is the only escape there
/// is.
std::string markdown_code(std::string_view text);

}  // namespace benchhud::cli
