// Copies of a whole store, made while it is in use, and the way back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"

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

/// What is damaged in a store, in SQLite's words, at most 20 of them; empty where
/// nothing is. Error: where it cannot even be looked through.
Expected<std::vector<std::string>> damage_of(Connection& connection, Examination examination);

/// How many of a store's texts do not fit their hashes. SQLite sees damage to how pages hang
/// together, and none to what is in them: of a store most of that is texts. Error: kCorrupt, kIo.
Expected<std::int64_t> damaged_texts(Connection& connection);

/// Copies the store `from`, as it is at one moment, to the file `to`, which must not be there; who
/// reads and writes `from` goes on. The copy is one file without a log. It is looked through, and
/// on the disk, before it has its name; whatever goes wrong, nothing is left of it, and what killed
/// runs have left in the folder is removed. Errors: kNotFound; kConflict (`to` is there; `from` is
/// another program's database); kCorrupt; kFull, kIo.
Expected<StoreCopy> copy_store(const std::string& from, const std::string& to);

/// Copies the store that `connection` reads for other people: without its tokens,
/// without who changed what, and without where messages were sent. What is left out is nowhere in
/// the file's bytes. A file `to` is replaced; whatever goes wrong, nothing is left of it. The copy
/// need not outlast a power cut. Errors: kCorrupt, kFull, kIo.
Expected<void> copy_to_share(Connection& connection, const std::string& to);

/// Removes a database's file with what SQLite keeps beside it, as far as it is there and may be
/// removed.
void remove_database(const std::string& path);

struct KeptCopy {
  std::string path;
  bool is_new = false;  ///< false: a copy of the same bytes was there already
};

/// The name of the copy of a store that is about to be migrated to a version of the schema:
/// "…/benchhud.db.before-v15", beside the file that the store is, by whatever link it is named.
std::string copy_before_migration(const std::string& store, int version);

/// Copies a store as copy_store() does. Nothing that is there is replaced: where `to` is another
/// store it becomes "`to`-2", "`to`-3", …, and where it is this one already it stays the only one.
/// Errors: those of copy_store() but kConflict.
Expected<KeptCopy> keep_copy(const std::string& store, const std::string& to);

struct RestoreOptions {
  bool replaces = false;  ///< a store that stands there is renamed
  /// Pages of the copy that are not what benchhud wrote, but another program, are taken as they
  /// are, if everything in them is in order (Examination::kContent, and texts fit their hashes).
  bool accepts_pages = false;
};

struct Restored {
  StoreCopy copy;
  std::string set_aside;  ///< what stood there before; "" if nothing did
};

/// Makes the store `store` of a copy: looked through and migrated first, then put there at once.
/// A store that stands there, which may be the copy itself, is renamed if that is wanted, to its
/// own name and `.before-` with the time. Errors: those of copy_store(); kConflict (there is a
/// store, and `replaces` is false); kBusy (somebody has it open); kVersion (a newer program wrote
/// the copy).
Expected<Restored> restore_store(const std::string& copy, const std::string& store,
                                 const RestoreOptions& options);

/// Copies the store `from` as copy_store() does into the folder `folder`, under the name that
/// backup_name() has for the time `at`, or, where that is taken, with "-2", "-3", … after it.
Expected<StoreCopy> copy_store_into(const std::string& from, const std::string& folder, double at);

/// The name of a copy in a folder of copies: "benchhud-20261123T041500Z.db" for the store
/// "…/benchhud.db". `at` in seconds since 1970.
std::string backup_name(const std::string& store, double at);

/// Deletes the oldest copies of the store in a folder, by their names, until `keep` are left.
/// Returns what was deleted. Error: kIo.
Expected<std::vector<std::string>> delete_old_backups(const std::string& folder,
                                                      const std::string& store, std::size_t keep);

}  // namespace benchhud::schema
