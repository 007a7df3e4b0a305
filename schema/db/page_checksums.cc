// Where pages have checksums, byte 20 of the file is 8, and each page ends with eight bytes,
// little-endian: its checksum, or 0 for none. It is XXH3_64bits of the bytes before, with the
// page's number (from 1) as the seed. Of page 1 it is that of the bytes from 100 on, and the seed
// is XXH3_64bits, with seed 1, of the first 100 bytes with zeros at 18-19, 24-31, 40-43 and 92-99.
// A checksum that would be 0 is 1. Byte 18 of the file is 3 where this layer was the last to write
// page 1. page_checksums.h says what this is for.
#include "schema/db/page_checksums.h"

#include <sqlite3.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace benchhud::schema {
namespace {

constexpr char kLayer[] = "benchhud-pages";
constexpr int kChecksumBytes = 8;
constexpr int kMostLooks = 3;  // at a page that does not fit

// The file's head, which begins its first page (sqlite.org/fileformat2.html#the_database_header).
constexpr int kHeadBytes = 100;
constexpr int kLeastPageBytes = 512;
constexpr std::string_view kHeadBegin("SQLite format 3\0", 16);
constexpr std::size_t kPageBytesAt = 16;  // two bytes, the higher first; 1 stands for 65536
constexpr std::size_t kWriteVersionAt = 18, kReadVersionAt = 19;  // 1: a journal, 2: a log
constexpr std::size_t kReservedAt = 20;  // how many bytes at a page's end are not SQLite's
/// A version of writing that SQLite does not know: it reads such a file and refuses to write to it.
constexpr unsigned char kOurWriteVersion = 3;

// Requests of our own to a file (sqlite3_file_control()); SQLite has those below 100.
constexpr int kGetPageBytes = 0x62680001;
constexpr int kSetPageBytes = 0x62680002;
constexpr int kGetDamagedPage = 0x62680003;
constexpr int kAcceptPages = 0x62680004;
constexpr int kIsOpenToOthers = 0x62680005;

/// Bytes of a page of the file that begins so; 0 where that is no head.
int page_bytes_of(std::span<const unsigned char> head) {
  if (head.size() < kHeadBytes ||
      std::memcmp(head.data(), kHeadBegin.data(), kHeadBegin.size()) != 0) {
    return 0;
  }
  const int bytes = head[kPageBytesAt] << 8 | head[kPageBytesAt + 1];
  return bytes == 1 ? 65536 : bytes;
}

/// Whether it says that its pages leave room for a checksum.
bool has_room(std::span<const unsigned char> head) { return head[kReservedAt] == kChecksumBytes; }

/// Whether SQLite without this layer writes to the file that begins so.
bool is_open_to_others(std::span<const unsigned char> head) {
  return head[kWriteVersionAt] != kOurWriteVersion;
}

/// Of the first page's head, without what other programs write anew in a copy that they make page
/// by page (`.backup` of sqlite3): how the file is written, how often it and its tables changed,
/// its length, and by which SQLite.
std::uint64_t checksum_of_head(std::span<const unsigned char> page, std::int64_t number) {
  std::array<unsigned char, kHeadBytes> head{};
  std::ranges::copy(page.first(kHeadBytes), head.begin());
  for (const auto& [begin, end] : {std::pair(18, 20), {24, 32}, {40, 44}, {92, 100}}) {
    std::fill(head.begin() + begin, head.begin() + end, static_cast<unsigned char>(0));
  }
  return XXH3_64bits_withSeed(head.data(), head.size(), static_cast<std::uint64_t>(number));
}

std::uint64_t checksum_of(std::span<const unsigned char> page, std::int64_t number) {
  auto content = page.first(page.size() - kChecksumBytes);
  auto seed = static_cast<std::uint64_t>(number);
  if (number == 1) {
    seed = checksum_of_head(page, number);
    content = content.subspan(kHeadBytes);
  }
  const std::uint64_t sum = XXH3_64bits_withSeed(content.data(), content.size(), seed);
  return sum == 0 ? 1 : sum;  // 0 stands for none
}

/// As it stands in the file, the lowest byte first.
std::uint64_t kept_checksum(std::span<const unsigned char> page) {
  std::uint64_t sum = 0;
  for (std::size_t i = page.size(); i-- > page.size() - kChecksumBytes;) sum = sum << 8 | page[i];
  return sum;
}

void keep_checksum(std::uint64_t sum, std::span<unsigned char> page) {
  for (std::size_t i = page.size() - kChecksumBytes; i < page.size(); ++i, sum >>= 8) {
    page[i] = static_cast<unsigned char>(sum);
  }
}

/// Whether there is nothing on a page: a free one may be so.
bool is_empty(std::span<const unsigned char> page) {
  return std::ranges::all_of(page, [](unsigned char byte) { return byte == 0; });
}

bool fits(std::span<const unsigned char> page, std::int64_t number) {
  const std::uint64_t kept = kept_checksum(page);
  return kept == 0 || kept == checksum_of(page, number);
}

sqlite3_vfs* usual_layer() {
  static sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
  return usual;
}

/// A store's file: SQLite's own lies behind it in the same memory.
struct CheckedFile : sqlite3_file {
  sqlite3_file* usual() { return reinterpret_cast<sqlite3_file*>(this + 1); }

  int page_bytes = 0;  ///< 0: pages have no checksums, as far as is known
  std::int64_t damaged_page = 0;
  bool is_read_only = false;
  bool accepts_pages = false;       ///< also those that do not fit their checksums
  std::vector<unsigned char> page;  // what is written, or read in part

  /// As it is in the file. Gives SQLite's code.
  int read_head(std::span<unsigned char, kHeadBytes> head) noexcept {
    return usual()->pMethods->xRead(usual(), head.data(), kHeadBytes, 0);
  }
  /// Finds out whether pages have checksums. Gives SQLite's code.
  int look_at_head() noexcept {
    std::array<unsigned char, kHeadBytes> head{};
    const int code = read_head(head);
    if (code != SQLITE_OK) return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
    const int bytes = page_bytes_of(head);
    if (bytes >= kLeastPageBytes && (has_room(head) || only_says_otherwise(bytes))) {
      page_bytes = bytes;
    }
    return SQLITE_OK;
  }
  /// Whether the one byte is damaged that says that there is room for checksums.
  bool only_says_otherwise(int bytes) noexcept {
    if (!make_room(bytes) || usual()->pMethods->xRead(usual(), page.data(), bytes, 0) != SQLITE_OK)
      return false;
    page[kReservedAt] = kChecksumBytes;
    return kept_checksum(page) == checksum_of(page, 1);
  }
  /// Room for one page. False where there is no memory: SQLite knows no exceptions.
  bool make_room(int bytes) noexcept {
    try {
      page.resize(static_cast<std::size_t>(bytes));
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  bool is_page(int size, sqlite3_int64 at) const {
    return page_bytes > 0 && size == page_bytes && at % page_bytes == 0;
  }
  /// Whether it is a part of one page, and not of the head, which is read while others write it.
  bool is_part(int size, sqlite3_int64 at) const {
    return page_bytes > 0 && at + size > kHeadBytes && size < page_bytes &&
           at / page_bytes == (at + size - 1) / page_bytes;
  }
};

CheckedFile& checked(sqlite3_file* file) { return *static_cast<CheckedFile*>(file); }

int read_page(CheckedFile& store, std::span<unsigned char> page, sqlite3_int64 at) {
  const int code =
      store.usual()->pMethods->xRead(store.usual(), page.data(), static_cast<int>(page.size()), at);
  const std::int64_t number = at / store.page_bytes + 1;
  // SQLite takes what is behind the file's end for zeros. Who only reads asks for no page that is
  // not there, unless the file was cut short.
  const bool is_cut_off = code == SQLITE_IOERR_SHORT_READ && at > 0 && store.is_read_only;
  if (is_cut_off || (code == SQLITE_OK && !store.accepts_pages && !fits(page, number))) {
    store.damaged_page = number;
    return SQLITE_IOERR_DATA;
  }
  if (code == SQLITE_OK) keep_checksum(0, page);
  return code;
}

int read_part(CheckedFile& store, std::span<unsigned char> part, sqlite3_int64 at) {
  const auto within = static_cast<std::size_t>(at % store.page_bytes);
  const int code = read_page(store, store.page, at - static_cast<sqlite3_int64>(within));
  const auto from = std::span(store.page).subspan(within, part.size());
  if (code == SQLITE_OK) std::ranges::copy(from, part.begin());
  if (code == SQLITE_IOERR_SHORT_READ) std::ranges::fill(part, static_cast<unsigned char>(0));
  return code;
}

int read_any(CheckedFile& store, std::span<unsigned char> wanted, sqlite3_int64 at) {
  const int size = static_cast<int>(wanted.size());
  // A file without checksums may have been written anew by another process.
  if (at == 0 && size > kHeadBytes && store.page_bytes == 0) store.look_at_head();
  if (!store.make_room(store.page_bytes)) return SQLITE_IOERR_NOMEM;
  if (store.is_page(size, at)) return read_page(store, wanted, at);
  // Newer versions of SQLite read so what a page holds of a long value.
  if (store.is_part(size, at)) return read_part(store, wanted, at);
  return store.usual()->pMethods->xRead(store.usual(), wanted.data(), size, at);
}

int read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 at) {
  const std::span wanted(static_cast<unsigned char*>(bytes), static_cast<std::size_t>(size));
  const int code = read_any(checked(file), wanted, at);
  // SQLite writes both versions alike.
  if (at == 0 && wanted.size() > kReadVersionAt && !is_open_to_others(wanted)) {
    wanted[kWriteVersionAt] = wanted[kReadVersionAt];
  }
  return code;
}

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  CheckedFile& store = checked(file);
  const std::span page(static_cast<const unsigned char*>(bytes), static_cast<std::size_t>(size));
  if (at == 0 && page_bytes_of(page) > 0) {
    store.page_bytes = has_room(page) ? page_bytes_of(page) : 0;
  } else if (store.page_bytes == 0) {
    store.look_at_head();  // as above
  }
  if (!store.make_room(store.page_bytes)) return SQLITE_IOERR_NOMEM;
  if (!store.is_page(size, at)) {
    return store.usual()->pMethods->xWrite(store.usual(), bytes, size, at);
  }
  std::ranges::copy(page, store.page.begin());
  keep_checksum(checksum_of(page, at / store.page_bytes + 1), store.page);
  if (at == 0) store.page[kWriteVersionAt] = kOurWriteVersion;
  return store.usual()->pMethods->xWrite(store.usual(), store.page.data(), size, at);
}

int control(sqlite3_file* file, int request, void* value) {
  CheckedFile& store = checked(file);
  switch (request) {
    case kGetPageBytes:
      *static_cast<int*>(value) = store.page_bytes;
      return SQLITE_OK;
    case kSetPageBytes:
      store.page_bytes = *static_cast<int*>(value);
      return SQLITE_OK;
    case kGetDamagedPage:
      *static_cast<std::int64_t*>(value) = store.damaged_page;
      return SQLITE_OK;
    case kAcceptPages:
      store.accepts_pages = true;
      return SQLITE_OK;
    case kIsOpenToOthers: {
      std::array<unsigned char, kHeadBytes> head{};
      *static_cast<bool*>(value) = store.read_head(head) == SQLITE_OK && is_open_to_others(head);
      return SQLITE_OK;
    }
    default:
      return store.usual()->pMethods->xFileControl(store.usual(), request, value);
  }
}

int close(sqlite3_file* file) {
  CheckedFile& store = checked(file);
  const int code = store.usual()->pMethods->xClose(store.usual());
  store.~CheckedFile();
  return code;
}

/// No page is looked at through a memory map: it would be read unchecked, and where the disk fails,
/// or the file was cut short, the system would end the program.
int map(sqlite3_file*, sqlite3_int64, int, void** page) {
  *page = nullptr;
  return SQLITE_OK;
}
int unmap(sqlite3_file*, sqlite3_int64, void*) { return SQLITE_OK; }

/// A method that the usual file does as it is.
template <auto kMethod>
struct Usual;
template <class Result, class... Args,
          Result (*sqlite3_io_methods::*kMethod)(sqlite3_file*, Args...)>
struct Usual<kMethod> {
  static Result call(sqlite3_file* file, Args... args) {
    sqlite3_file* usual = checked(file).usual();
    return (usual->pMethods->*kMethod)(usual, args...);
  }
};

constexpr sqlite3_io_methods kMethods = {
    3,
    close,
    read,
    write,
    Usual<&sqlite3_io_methods::xTruncate>::call,
    Usual<&sqlite3_io_methods::xSync>::call,
    Usual<&sqlite3_io_methods::xFileSize>::call,
    Usual<&sqlite3_io_methods::xLock>::call,
    Usual<&sqlite3_io_methods::xUnlock>::call,
    Usual<&sqlite3_io_methods::xCheckReservedLock>::call,
    control,
    Usual<&sqlite3_io_methods::xSectorSize>::call,
    Usual<&sqlite3_io_methods::xDeviceCharacteristics>::call,
    Usual<&sqlite3_io_methods::xShmMap>::call,
    Usual<&sqlite3_io_methods::xShmLock>::call,
    Usual<&sqlite3_io_methods::xShmBarrier>::call,
    Usual<&sqlite3_io_methods::xShmUnmap>::call,
    map,
    unmap,
};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  sqlite3_vfs* usual = usual_layer();
  // Logs, journals and temporary files are the usual ones.
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return usual->xOpen(usual, name, file, flags, flags_out);
  auto* store = new (file) CheckedFile;
  store->pMethods = nullptr;
  const int code = usual->xOpen(usual, name, store->usual(), flags, flags_out);
  if (code != SQLITE_OK) {
    store->~CheckedFile();
    return code;
  }
  store->is_read_only = (flags & SQLITE_OPEN_READONLY) != 0;
  if (const int looked = store->look_at_head(); looked != SQLITE_OK) {
    store->usual()->pMethods->xClose(store->usual());
    store->~CheckedFile();
    return looked;
  }
  store->pMethods = &kMethods;
  return SQLITE_OK;
}

}  // namespace

const char* page_checksums_layer() {
  // What it does not do itself the usual one does, which asks nothing of the object it is called
  // by.
  static sqlite3_vfs layer = [] {
    sqlite3_vfs made = *usual_layer();
    made.pNext = nullptr;
    made.zName = kLayer;
    made.szOsFile += static_cast<int>(sizeof(CheckedFile));
    made.xOpen = open;
    return made;
  }();
  [[maybe_unused]] static const int registered = sqlite3_vfs_register(&layer, /*makeDflt=*/0);
  return kLayer;
}

void want_page_checksums(sqlite3* database) {
  int bytes = kChecksumBytes;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}

bool leaves_room_for_checksums(sqlite3* database) {
  int bytes = -1;  // asks
  sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  return bytes == kChecksumBytes;
}

int checked_page_bytes(sqlite3* database) {
  int bytes = 0;
  sqlite3_file_control(database, "main", kGetPageBytes, &bytes);
  return bytes;
}

void set_checked_page_bytes(sqlite3* database, int bytes) {
  sqlite3_file_control(database, "main", kSetPageBytes, &bytes);
}

std::int64_t last_damaged_page(sqlite3* database) {
  std::int64_t number = 0;
  sqlite3_file_control(database, "main", kGetDamagedPage, &number);
  return number;
}

void accept_pages(sqlite3* database) {
  sqlite3_file_control(database, "main", kAcceptPages, nullptr);
}

bool may_be_written_by_others(sqlite3* database) {
  bool is_open = false;
  sqlite3_file_control(database, "main", kIsOpenToOthers, &is_open);
  return is_open;
}

namespace {

std::int64_t big_endian(std::span<const unsigned char> bytes, std::size_t at) {
  std::int64_t number = 0;
  for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | bytes[i];
  return number;
}

/// Of each page of a file, by its number from 1, whether the list of free pages names it. The head
/// names the first page of the list; each says which is the next, how many free pages it names, and
/// which (SQLite's file format, 1.5 "The Freelist"). What the list itself lies on is not among
/// them: it is read. A list that is damaged ends where it is.
std::vector<bool> free_pages(std::ifstream& file, std::size_t page_bytes, std::int64_t pages) {
  constexpr std::size_t kFirstAt = 32, kCountAt = 4, kNamesAt = 8;
  std::vector<bool> is_free(static_cast<std::size_t>(pages) + 1);
  std::vector<unsigned char> page(page_bytes);
  const auto read = [&](std::int64_t number) {
    file.clear();
    file.seekg((number - 1) * static_cast<std::int64_t>(page_bytes));
    return static_cast<bool>(
        file.read(reinterpret_cast<char*>(page.data()), static_cast<std::streamsize>(page.size())));
  };
  if (!read(1)) return is_free;
  std::int64_t next = big_endian(page, kFirstAt);
  for (std::int64_t i = 0; i < pages && next > 0 && next <= pages && read(next); ++i) {
    next = big_endian(page, 0);
    const auto room = static_cast<std::int64_t>((page_bytes - kNamesAt) / 4);
    const std::int64_t count = std::min(big_endian(page, kCountAt), room);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t number = big_endian(page, kNamesAt + static_cast<std::size_t>(k) * 4);
      if (number <= pages) is_free[static_cast<std::size_t>(number)] = true;
    }
  }
  return is_free;
}

}  // namespace

Expected<std::optional<PageChecksums>> count_page_checksums(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<unsigned char> page(kHeadBytes);
  const auto next_page = [&] {
    return static_cast<bool>(
        file.read(reinterpret_cast<char*>(page.data()), static_cast<std::streamsize>(page.size())));
  };
  if (!file) return Error{ErrorCode::kIo, "cannot read " + path};
  const int bytes = next_page() ? page_bytes_of(page) : 0;
  if (bytes < kLeastPageBytes || !has_room(page)) return std::optional<PageChecksums>();
  PageChecksums found;
  found.is_open_to_others = is_open_to_others(page);
  page.resize(static_cast<std::size_t>(bytes));
  std::vector<std::int64_t> empty, changed;
  for (file.seekg(0); next_page();) {
    const std::int64_t number = ++found.pages;
    if (kept_checksum(page) == 0) {
      if (is_empty(page)) {
        empty.push_back(number);
      } else {
        ++found.missing;
      }
      continue;
    }
    // One that is just being written is whole in a moment.
    bool is_fit = fits(page, number);
    for (int i = 0; i < kMostLooks && !is_fit; ++i) {
      file.clear();
      file.seekg((number - 1) * bytes);
      is_fit = next_page() && fits(page, number);
    }
    if (!is_fit) changed.push_back(number);
  }
  if (!empty.empty() || !changed.empty()) {
    const std::vector<bool> is_free = free_pages(file, page.size(), found.pages);
    // What is on a free page is never read.
    const auto is_unused = [&](std::int64_t n) { return is_free[static_cast<std::size_t>(n)]; };
    const auto first_of = [](const auto& numbers) { return numbers.empty() ? 0 : numbers.front(); };
    std::erase_if(empty, is_unused);
    found.lost = static_cast<std::int64_t>(empty.size());
    found.first_lost = first_of(empty);
    found.changed_free = static_cast<std::int64_t>(std::erase_if(changed, is_unused));
    found.changed = static_cast<std::int64_t>(changed.size());
    found.first_changed = first_of(changed);
  }
  if (file.bad()) return Error{ErrorCode::kIo, "cannot read " + path};
  return std::optional(found);
}

}  // namespace benchhud::schema
