// Takes files into a store: reads, parses, writes. One file is one transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/output/output_dir.h"
#include "ingest/pipeline/dump_ingest.h"
#include "ingest/results/foreign_format_line.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/results/writer.h"
#include "schema/store/store_lock.h"

namespace benchhud::ingest {

/// How far an ingest has come.
struct Progress {
  std::size_t file = 0;  ///< index of the file at hand
  std::size_t file_count = 0;
  std::int64_t bytes = 0;  ///< read of all files, as they are on disk
  std::int64_t total_bytes = 0;
};

struct IngestOptions {
  /// Whose turn with the store each file waits for, once it is read as far as that needs no store.
  /// None: the caller holds the store's lock, or is alone with it.
  std::optional<schema::StoreTurns> turns;
  std::optional<std::string> run_name;  ///< all lines belong to the run of this name
  std::map<std::string, std::string> labels;
  std::optional<double> timestamp;  ///< of lines without one; wins over the date in the file's name
  /// Times are shifted by whole weeks so that the newest result is of the week before this time
  /// (time_shift.h), for samples. The store keeps the shift that its first ingest chose.
  std::optional<double> shift_times_to;
  ImportContext import_context;  ///< of results in other programs' formats that do not say it
  bool strict = false;           ///< any rejected line or unreadable dump undoes everything
  DumpOptions dumps;             ///< `timestamp` is taken from above
  CopyAhead copies_ahead;        ///< unless `strict`, which is one transaction
  /// As schema::FileOptions has it; what comes out does not depend on it.
  std::int64_t lines_between_derivations = schema::FileOptions().lines_between_derivations;
  std::function<void(const Progress&)> on_progress;
  /// A file whose content is in the store is left at that, although a run's name or labels are
  /// given: nobody reads a report of what they were not given to.
  bool skips_known_content = false;
  /// A file of which nothing goes in because it exceeds a memory budget is an error (kTooLarge) and
  /// leaves nothing, instead of being listed as rejected or unreadable.
  bool refuses_too_large = false;
  /// The path that is kept of the only file, instead of that where it lies.
  std::optional<std::string> kept_path;
  /// Asked before each file: true ends the ingest there.
  std::function<bool()> should_stop;
};

struct Rejection {
  std::int64_t line_number = 0;
  std::int64_t byte_offset = 0;
  std::string reason;
};

/// What became of one file.
struct FileResult {
  std::string path;
  std::int64_t byte_count = 0;  ///< decompressed
  std::int64_t line_count = 0;
  bool is_known = false;  ///< its very content was taken in before
  schema::FileReport report;
  std::vector<Rejection> rejections;   ///< the first kMostListed; the store has all
  std::optional<schema::Error> error;  ///< the file could not be taken in and left nothing behind
};

inline constexpr std::size_t kMostListed = 100;

struct IngestResult {
  std::vector<FileResult> files;
  std::int64_t accepted = 0;
  std::int64_t duplicate = 0;
  std::int64_t rejected = 0;
  std::vector<DumpResult> dumps;
  std::int64_t new_dumps = 0;         ///< with those that are given to other results now
  std::int64_t known_dumps = 0;       ///< and nothing about them is new
  std::int64_t orphaned_dumps = 0;    ///< of all: that belong to no result
  std::int64_t unreadable_dumps = 0;  ///< of all
  std::int64_t shift_weeks = 0;       ///< by which times were shifted
  std::vector<UnreadableFolder> unreadable_folders;  ///< `failed` is set
  UnrecognizedFiles unrecognized;
  bool undone = false;   ///< strict, and something was rejected: the store is as before
  bool failed = false;   ///< a file has an error, or a folder could not be read
  bool stopped = false;  ///< should_stop() ended it; files are missing
  bool changed = false;  ///< the store differs from before
};

/// Takes results files in, in this order, then dumps. Where one fails, those after it are still
/// tried; but where one did not get its turn, they have the same error. Error: the store itself
/// could not be used.
schema::Expected<IngestResult> ingest_files(schema::Connection& store, const Inputs& inputs,
                                            const IngestOptions& options);

}  // namespace benchhud::ingest
