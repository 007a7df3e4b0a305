// The bytes of an XPlane file, decompressed, in one piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"

namespace benchhud::ingest {

/// A copy of a file as a mapping of a temporary file without a name: its metadata stand behind what
/// they are about, so that it is read from back to front as well, and it may have gigabytes. It is
/// a copy because reading a mapping of a file that somebody shortens ends the program.
class XplaneFile {
 public:
  /// Error: kIo where the file cannot be read; kIo, kFull where there is no place for the copy.
  static schema::Expected<XplaneFile> open(const std::string& path);
  XplaneFile(XplaneFile&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})),
        hash_(other.hash_),
        damage_(std::move(other.damage_)) {}
  XplaneFile& operator=(XplaneFile&&) = delete;
  ~XplaneFile();

  std::string_view bytes() const { return bytes_; }
  /// Of bytes().
  const schema::ContentHash& hash() const { return hash_; }
  /// Why the bytes ended before their time: damaged compression. "" if they did not.
  const std::string& damage() const { return damage_; }

 private:
  XplaneFile() = default;

  std::string_view bytes_;  // the mapping
  schema::ContentHash hash_;
  std::string damage_;
};

/// Whether a file is to be read as XPlane, by its name, or else by its first bytes, which are not
/// read of what is no regular file: a pipe gives them once. Error: kIo.
schema::Expected<bool> is_xplane_file(const std::string& path);

}  // namespace benchhud::ingest
