// Small files that went wrong in the field (tests/data/field).
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/unit/places.h"

namespace benchhud::ingest {

inline std::filesystem::path field_path(const std::string& name) {
  return source_root() / "tests/data/field" / name;
}

inline std::string field_text(const std::string& name) {
  std::ifstream file(field_path(name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace benchhud::ingest
