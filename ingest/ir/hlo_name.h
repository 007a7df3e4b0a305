// Names in HLO text.
#pragma once

#include <string>
#include <string_view>

#include "schema/base/ascii.h"

namespace benchhud::ingest {

/// Whether names of HLO may have the character.
constexpr bool is_of_hlo_name(char c) {
  return schema::is_letter(c) || schema::is_digit(c) || c == '_' || c == '-' || c == '.';
}

/// A name as HLO text has it: what no name can have is "_"; "_" for an empty one.
inline std::string hlo_name(std::string_view name) {
  std::string made(name.empty() ? "_" : name);
  for (char& c : made) {
    if (!is_of_hlo_name(c)) c = '_';
  }
  return made;
}

}  // namespace benchhud::ingest
