// A trace in a file of its own: an SQLite database with the store's tables of one trace, number 1,
// and the HLO modules that its profile holds, so that what reads a trace in the store reads it as
// well. It is written once and never changed, and the same trace makes the same bytes, by whose
// hash it is known.
//
// Its pages have 1 KiB, and checksums (schema/db/page_checksums.h). Its head, the first 100 bytes,
// is always the same but for the number of pages and the version of its tables: SQLite's counters
// and its own version there are replaced by constants. So no byte of it can change unnoticed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace_hlo.h"

namespace benchhud::trace {

/// The version of the tables in a pack: the number of the newest migration that changed one of
/// them, or what is in them. Of another version none is read.
inline constexpr int kPackVersion = 35;

/// The number of the trace in a pack.
inline constexpr schema::TraceId kPackedTrace{1};

/// By so many bytes a pack is known.
inline constexpr std::size_t kPackBeginBytes = 100;

struct PackFacts {
  schema::ContentHash hash;  ///< of the file's bytes
  std::int64_t byte_count = 0;
};

/// Whether a file that begins so, with kPackBeginBytes bytes at least, is a pack, of whatever
/// version.
bool is_pack(std::string_view begin);

/// Writes a trace of a store, with the HLO modules of its profile, into a new file, which gets its
/// name once it is complete and on the disk. It has the owner and the permissions of the file
/// `like`; "": those of any new file. The caller holds a transaction, or nobody else writes the
/// store.
/// Errors: kNotFound; kConflict, there is something of that name; kFull, kIo, kReadOnly; the
/// store's.
schema::Expected<PackFacts> write_pack(schema::Connection& from, schema::TraceId trace,
                                       const std::filesystem::path& file,
                                       const std::string& like = "");
/// The same of a database that has no table of who holds which modules (TracePack); `hlo` is by its
/// numbers.
schema::Expected<PackFacts> write_pack(schema::Connection& from, schema::TraceId trace,
                                       const std::optional<TraceHlo>& hlo,
                                       const std::filesystem::path& file,
                                       const std::string& like = "");

/// Opens a pack for reading, whoever made it: its tables are those of this program with nothing
/// beside them, and it has one trace. Blocks are checked when they are read, as those of a store,
/// and so are the checksums of pages. Errors: kNotFound, kIo; kInvalidArgument,
/// no pack; kVersion; kCorrupt.
schema::Expected<schema::Connection> open_pack(const std::filesystem::path& file);

/// The same after reading the whole file: the checksum of every page is right, and SQLite's
/// integrity check finds nothing. What is opened is what was checked. Errors: as open_pack(); kIo
/// also where the file changed meanwhile, or another one has its name.
schema::Expected<schema::Connection> check_pack(const std::filesystem::path& file);

/// The hash of a file's bytes, and how many there are. Error: kIo.
schema::Expected<PackFacts> facts_of_file(const std::filesystem::path& file);

}  // namespace benchhud::trace
