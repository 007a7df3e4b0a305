// Checksums of a store's pages. SQLite keeps none: what a disk or a copy has changed would be read
// as if it had been written so.
//
// The last eight bytes of each page in a store's file hold the XXH3 hash of the rest, with the
// page's number as its seed: a page in the place of another does not fit either. They are put there
// where SQLite writes to the file, and held against the page where it reads from it, by a layer
// (in SQLite's words a VFS) above the usual one. In memory and in the log these bytes are zeros,
// which mean that there is no checksum: another program that brings the log into the file, like
// sqlite3, leaves pages that are read as before, unchecked. One that changes a page would leave the
// checksum of what was there, and the page would be taken for damaged. So the head of the file's
// first page has a version of writing that SQLite does not know: other programs read the store and
// are refused when they write ("attempt to write a readonly database"); the layer shows SQLite the
// usual version. Only where another program has brought a first page from the log into the file, or
// an older benchhud wrote it, the usual version is there and others may have written: pages that do
// not fit may then be theirs. A page of nothing but zeros, which nobody writes and disks lose pages
// to, is damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/base/errors.h"

struct sqlite3;

namespace benchhud::schema {

/// The layer's name for sqlite3_open_v2(). Thread-safe; to be called after sqlite3_config().
const char* page_checksums_layer();

/// To be called for an open database before anything is written to it: a new one gets checksums,
/// and one without them when it is next written anew (VACUUM).
void want_page_checksums(sqlite3* database);

/// Whether the database that is read leaves room for checksums: as its log has it, not only its
/// file. To be called before want_page_checksums().
bool leaves_room_for_checksums(sqlite3* database);

/// Bytes of the pages in the file that have checksums; 0 where they have none.
int checked_page_bytes(sqlite3* database);
/// Says so of a database that is empty yet, whose pages may be written in any order.
void set_checked_page_bytes(sqlite3* database, int bytes);

/// The number (from 1) of the page that was last found not to fit its checksum; 0: none was.
std::int64_t last_damaged_page(sqlite3* database);

/// From now on the database's pages are read as they are, whether they fit their checksums or not.
void accept_pages(sqlite3* database);

/// Whether the file lets programs without this layer write to it, so that pages that do not fit
/// their checksums may be theirs.
bool may_be_written_by_others(sqlite3* database);

/// What a store's file has of them.
struct PageChecksums {
  std::int64_t pages = 0;
  std::int64_t changed = 0;        ///< pages that do not fit their checksums and are not free
  std::int64_t first_changed = 0;  ///< the number (from 1) of the first of them; 0: none
  bool is_open_to_others = false;  ///< programs without this layer may have written them
  std::int64_t changed_free = 0;   ///< free pages that do not fit their checksums
  std::int64_t missing = 0;        ///< pages with content and no checksum
  std::int64_t lost = 0;           ///< pages of nothing but zeros that are not free
  std::int64_t first_lost = 0;     ///< the number (from 1) of the first of them; 0: none
};

/// Reads the whole file; with a log beside it, pages may be free by now that were not when the file
/// was written. Nothing where pages have no checksums at all. Error: kIo.
Expected<std::optional<PageChecksums>> count_page_checksums(const std::string& path);

}  // namespace benchhud::schema
