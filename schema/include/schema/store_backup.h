// Copies of a whole store, made while it is in use, and the way back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::schema {

struct StoreCopy {
  std::string path;
  std::uint64_t bytes = 0;
  int version = 0;  ///< of its schema
  std::int64_t runs = 0;
  std::optional<double> newest_run;  ///< when it started, in seconds since 1970
};

/// How thoroughly a store is looked through: kStructure reads all pages, kContent also holds every
/// index against its table.
enum class Examination { kStructure, kContent };

/// What is damaged in a store, in SQLite's words, at most 20 of them; empty where nothing is.
/// Error: where it cannot even be looked through.
Expected<std::vector<std::string>> damage_of(Connection& connection, Examination examination);

/// Copies the store `from`, as it is at one moment, to the file `to`, which must not be there; who
/// reads and writes `from` goes on. The copy is one file without a log. It is looked through, and
/// on the disk, before it has its name; whatever goes wrong, nothing is left of it. Errors:
/// kNotFound; kConflict (`to` is there; `from` is another program's database); kCorrupt; kFull,
/// kIo.
Expected<StoreCopy> copy_store(const std::string& from, const std::string& to);

struct Restored {
  StoreCopy copy;
  std::string set_aside;  ///< what stood there before; "" if nothing did
};

/// Makes the store `store` of a copy: looked through and migrated first, then put there at once.
/// A store that stands there is renamed if `replaces`, to its own name and `.before-` with the
/// time. Errors: those of copy_store(); kConflict (there is a store, and `replaces` is false);
/// kBusy (somebody has it open); kVersion (a newer program wrote the copy).
Expected<Restored> restore_store(const std::string& copy, const std::string& store, bool replaces);

/// The name of a copy in a folder of copies: "benchhud-20261123T041500Z.db" for the store
/// "…/benchhud.db". `at` in seconds since 1970.
std::string backup_name(const std::string& store, double at);

/// Deletes the oldest copies of the store in a folder, by their names, until `keep` are left.
/// Returns what was deleted. Error: kIo.
Expected<std::vector<std::string>> delete_old_backups(const std::string& folder,
                                                      const std::string& store, std::size_t keep);

}  // namespace benchhud::schema
