// Where tests find their files.
#pragma once

#include <filesystem>

namespace benchhud {

/// The checkout's root.
std::filesystem::path source_root();

/// What lies beside the checkout; may not be there.
inline std::filesystem::path shared_folder() { return source_root() / "../shared"; }

}  // namespace benchhud
