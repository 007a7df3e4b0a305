// Temporary files of one SQLite database, bounded in total: each sort and each table that SQLite
// makes for itself has one of its own, so a bound for each file would bound nothing.
#pragma once

#include <cstdint>
#include <memory>

namespace benchhud::schema {

struct TemporaryLayer;

/// A layer (in SQLite's words a VFS) above the usual one. A database that is opened with its name
/// gets the error SQLITE_FULL for what would make its files larger than they may be together.
/// Outlives the database.
class BoundedTemporaryFiles {
 public:
  /// `most_bytes`: of all files that are open at once.
  explicit BoundedTemporaryFiles(std::int64_t most_bytes);
  BoundedTemporaryFiles(const BoundedTemporaryFiles&) = delete;
  BoundedTemporaryFiles& operator=(const BoundedTemporaryFiles&) = delete;
  ~BoundedTemporaryFiles();

  const char* name() const;
  /// Whether something was refused.
  bool was_full() const;

 private:
  std::unique_ptr<TemporaryLayer> layer_;
};

}  // namespace benchhud::schema
