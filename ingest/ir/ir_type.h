// The types of values in IR texts, and texts with brackets in them. Only the readers of IR need
// this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchhud::ingest {

/// How many bytes a value of an XLA type takes ("f32[2,3]{1,0}", "(f32[], s32[<=4])"), its bounds
/// where dimensions are dynamic. Nothing where the type does not tell.
std::optional<std::int64_t> xla_type_bytes(std::string_view type);

/// The same of MLIR's types ("tensor<2x3xbf16>", "tuple<…>"). Nothing for "tensor<?xf32>".
std::optional<std::int64_t> mlir_type_bytes(std::string_view type);

/// Where the text that begins with an opening bracket closes it: the place behind the closing one;
/// npos where it does not. Counts round, square and curly brackets as one kind and skips strings;
/// with `angles` also < and >, but for those of "->", "<=" and ">=".
std::size_t bracket_end(std::string_view text, bool angles = false);

/// Cuts a text where a comma stands outside of brackets and strings; the parts are trimmed. An
/// empty text has none. Behind 100,000 parts the rest is one.
std::vector<std::string_view> split_list(std::string_view text, bool angles = false);

/// An XLA type without layouts, comments and blanks: "f32[2,3]{1,0}" is "f32[2,3]". No more than
/// `most` bytes, as shortened() does.
std::string without_layout(std::string_view type, std::size_t most);

/// An XLA type without its comments ("/*index=5*/").
std::string without_comments(std::string_view type);

/// With one blank for any number of blanks and line ends, and no more than `most` bytes; where it
/// was longer it ends with "…".
std::string shortened(std::string_view text, std::size_t most);

}  // namespace benchhud::ingest
