// How large a file is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace benchhud::schema {

/// Bytes; 0 where there is no file, or none whose size can be told.
inline std::uintmax_t file_size(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace benchhud::schema
