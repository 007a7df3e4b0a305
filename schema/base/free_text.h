// Gives back a text's memory.
#pragma once

#include <string>

namespace benchhud::schema {

/// Leaves `text` empty, without memory of its own. Assigning an empty text does not do that:
/// libstdc++ keeps what the old one had for the next.
inline void free_text(std::string* text) { std::string().swap(*text); }

}  // namespace benchhud::schema
