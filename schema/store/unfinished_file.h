// Files that are made under a name of their own and have their real one only when they are whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "schema/base/errors.h"
#include "schema/base/file_lock.h"

namespace benchhud::schema {

bool is_there(const std::string& path);

/// `wanted``end`, or where that is taken the first of "`wanted`-2`end`", "`wanted`-3`end`", …
std::string free_name(const std::string& wanted, std::string_view end = "");

/// Makes an empty file that those may read and write who may do so with `like`: a copy shows nobody
/// what its original hides. Errors: kFull, kIo.
Expected<void> make_file_like(const std::string& like, const std::string& path);

/// A database's file that is being made, as `NAME.PID.partial`: gone unless it was kept, with what
/// SQLite keeps beside it. While it is made, the file `NAME.PID.partial-lock` is locked; so the
/// next one that is made in the same folder can remove what killed processes have left.
class UnfinishedFile {
 public:
  /// One that is to be called `name`. Errors: kFull, kIo, kReadOnly, kBusy (it is being made).
  static Expected<UnfinishedFile> make(const std::string& name);
  /// One that has its name already.
  explicit UnfinishedFile(std::string path) : UnfinishedFile(std::move(path), std::nullopt) {}
  UnfinishedFile(UnfinishedFile&& other) noexcept
      : lock_(std::move(other.lock_)), path_(std::exchange(other.path_, "")) {}
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  const std::string& path() const { return path_; }
  /// Keeps it under the name it has.
  void keep() { path_.clear(); }
  /// Gives it its name, so that it has it after a power cut as well. Errors: kConflict, there is
  /// something of that name; kIo.
  Expected<void> keep_as(const std::string& name);

 private:
  UnfinishedFile(std::string path, std::optional<FileLock> lock);

  std::optional<FileLock> lock_;  // outlives what it protects
  std::string path_;
};

}  // namespace benchhud::schema
