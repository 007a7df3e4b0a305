// Texts that PyTorch's compiler writes, without what differs between two nights that compiled the
// same: where a file lies, line numbers, addresses, compile ids.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::analysis {

/// Generated code or a printed graph, so that two are equal where they do the same in the same way:
/// without comments of Python and C++ that stand on a line or behind code (they name files, lines
/// and the id of the graph), without the directories of absolute paths (Inductor's cache has
/// another every time), without the hash of the compiler's own source, and without blank lines.
std::string comparable_code(std::string_view code);

/// The reason of a graph break, a recompilation, a restart or a failure: without the directories of
/// absolute paths, without line numbers, addresses, the ids of objects and versions of dictionaries
/// in Dynamo's guards, and without the compile ids that stand before it.
std::string comparable_reason(std::string_view reason);

}  // namespace benchhud::analysis
