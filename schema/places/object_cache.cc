#include "schema/places/object_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <tuple>
#include <vector>

#include "schema/base/caught_error.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kObjectEnd = ".object";
constexpr const char* kPartialEnd = ".partial";
constexpr const char* kLockEnd = ".lock";
constexpr const char* kCapacityLock = "capacity-lock";
constexpr milliseconds kFirstLockPause{2};
constexpr milliseconds kLongestLockPause{100};
constexpr int kMostAttempts = 5;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The first of the folders that systemd's CACHE_DIRECTORY names.
std::string first_folder(const std::string& folders) {
  return folders.substr(0, folders.find(':'));
}

/// -1: there is none.
std::int64_t size_on_disk(const fs::path& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 ? status.st_size : -1;
}

/// Waits as long as `options` says from when the size of the file `written` last changed.
Expected<FileLock> wait_for_lock(const fs::path& path, const fs::path& written,
                                 const CacheOptions& options) {
  const milliseconds longest = options.longest_wait;
  auto begin = steady_clock::now();
  std::int64_t size = size_on_disk(written);
  for (milliseconds pause = kFirstLockPause;; pause = std::min(2 * pause, kLongestLockPause)) {
    BENCHHUD_ASSIGN(auto lock, FileLock::try_take(path.string()));
    if (lock) return *std::move(lock);
    if (options.gives_up && options.gives_up()) {
      return Error{ErrorCode::kUnavailable, "waiting for another process was given up"};
    }
    const std::int64_t size_now = size_on_disk(written);
    if (size_now != size) begin = steady_clock::now();
    size = size_now;
    if (steady_clock::now() - begin >= longest) {
      return Error{ErrorCode::kBusy,
                   fmt::format("another process holds {}, and has not gone on for {} s",
                               path.string(), longest / std::chrono::seconds(1))};
    }
    std::this_thread::sleep_for(pause);
  }
}

/// Whether a file has been removed since it was opened.
bool is_removed(const FileDescriptor& file) {
  struct stat status{};
  return fstat(file.descriptor(), &status) != 0 || status.st_nlink == 0;
}

void note_reading(const FileDescriptor& file) {
  constexpr std::array kNowAndAsItWas = {timespec{0, UTIME_NOW}, timespec{0, UTIME_OMIT}};
  futimens(file.descriptor(), kNowAndAsItWas.data());
}

bool lock_for_reading(const FileDescriptor& file) {
  return flock(file.descriptor(), LOCK_SH | LOCK_NB) == 0;
}

/// Removes an object unless somebody reads it. The caller holds its lock: else what is removed
/// might be another file than the one that nobody reads.
bool remove_unread(const fs::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.descriptor() < 0) return errno == ENOENT;
  if (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0) return false;
  return unlink(path.c_str()) == 0 || errno == ENOENT;
}

/// Removes a file at the end of a scope, unless it has got another name by then.
class RemovedAtEnd {
 public:
  explicit RemovedAtEnd(fs::path path) : path_(std::move(path)) {}
  RemovedAtEnd(const RemovedAtEnd&) = delete;
  RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;
  ~RemovedAtEnd() { unlink(path_.c_str()); }

 private:
  fs::path path_;
};

/// What a place has given.
struct FetchedFile {
  FileState state;
  ContentHash hash;
  std::int64_t byte_count = 0;

  bool is(const ObjectName& object) const {
    return byte_count == object.byte_count && hash == object.hash;
  }
};

Expected<FetchedFile> fetch_into(const fs::path& path, ObjectPlace& place,
                                 const ObjectName& object) {
  BENCHHUD_TRY(place.fetch(object.key, path, object.byte_count));
  BENCHHUD_ASSIGN(const InputFile file, InputFile::open(path));
  BENCHHUD_ASSIGN(const ContentHash hash, hash_of(file));
  return FetchedFile{file.state, hash, file.byte_count};
}

/// Removes an object that nobody reads or fetches. `is_own`: the caller holds its lock.
bool evict(const fs::path& path, bool is_own) {
  if (is_own) return remove_unread(path);
  const auto lock = FileLock::try_take(fs::path(path).replace_extension(kLockEnd).string());
  return lock && *lock && remove_unread(path);
}

/// How many bytes the holder of a lock is going to write.
std::int64_t reserved_by(const fs::path& lock) {
  const FileDescriptor file(open(lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::array<char, 24> text{};
  const ssize_t count =
      file.descriptor() < 0 ? 0 : read(file.descriptor(), text.data(), text.size());
  std::int64_t bytes = 0;
  if (count > 0) std::from_chars(text.data(), text.data() + count, bytes);
  return bytes;
}

struct KeptObject {
  fs::path path;
  std::int64_t byte_count = 0;
  timespec read{};  // when it was read last
};

struct CacheContent {
  std::vector<KeptObject> objects;  // what was not read longest first
  std::int64_t byte_count = 0;      // with what is being fetched
};

/// Looks through the folder, and removes what killed processes have left.
Expected<CacheContent> content_of(const fs::path& folder) {
  CacheContent content;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path path = entry->path();
    const bool is_lock = path.extension() == kLockEnd;
    if (is_lock || path.extension() == kPartialEnd) {
      const fs::path lock = fs::path(path).replace_extension(kLockEnd);
      const auto left_behind = FileLock::try_take(lock.string());
      if (left_behind && *left_behind) {
        unlink(fs::path(path).replace_extension(kPartialEnd).c_str());
      } else if (is_lock) {
        content.byte_count += reserved_by(lock);
      }
    } else if (path.extension() == kObjectEnd) {
      struct stat status{};
      if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      content.objects.push_back({path, status.st_size, status.st_atim});
      content.byte_count += status.st_size;
    }
  }
  if (error) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot list {}: {}", folder.string(), error.message())};
  }
  std::sort(content.objects.begin(), content.objects.end(), [](const auto& a, const auto& b) {
    return std::tie(a.read.tv_sec, a.read.tv_nsec) < std::tie(b.read.tv_sec, b.read.tv_nsec);
  });
  return content;
}

struct Evicted {
  std::int64_t byte_count = 0;
  std::set<std::string> left;  // hashes
};

/// Removes at least so many bytes of objects that nobody reads, or all there are. The caller holds
/// the lock of the object `own`.
Evicted evict_unread(const CacheContent& content, const ContentHash& own, std::int64_t byte_count) {
  Evicted evicted;
  for (const KeptObject& kept : content.objects) {
    const std::string hash = kept.path.stem().string();
    if (evicted.byte_count < byte_count && evict(kept.path, hash == own.hex())) {
      evicted.byte_count += kept.byte_count;
    } else {
      evicted.left.insert(hash);
    }
  }
  return evicted;
}

/// How much more the disk would have to have free for an object.
std::int64_t missing_on_disk(const CacheOptions& options, std::int64_t byte_count) {
  std::error_code error;
  const fs::space_info space = fs::space(options.folder, error);
  if (error) return 0;
  constexpr std::uintmax_t kMost = std::numeric_limits<std::int64_t>::max();
  return options.least_free_bytes + byte_count -
         static_cast<std::int64_t>(std::min(space.available, kMost));
}

Error no_room(const CacheOptions& options, std::int64_t needed) {
  const std::string what =
      needed > options.most_bytes
          ? fmt::format("an object of {} bytes does not fit into the cache {}, which may have {}",
                        needed, options.folder.string(), options.most_bytes)
          : fmt::format(
                "the cache {} is full of what is being read: {} bytes are needed, and it may "
                "have {}",
                options.folder.string(), needed, options.most_bytes);
  return {ErrorCode::kFull, what + "; try again later, or let BENCHHUD_CACHE_BYTES be larger"};
}

}  // namespace

Expected<CacheOptions> cache_options_of_environment() {
  CacheOptions options;
  if (const std::string folder = environment("BENCHHUD_CACHE"); !folder.empty()) {
    options.folder = folder;
  } else if (const std::string given = environment("CACHE_DIRECTORY"); !given.empty()) {
    options.folder = first_folder(given);
  } else if (const fs::path caches = environment("XDG_CACHE_HOME"); caches.is_absolute()) {
    // The XDG base directory specification says to ignore relative paths.
    options.folder = caches / "benchhud";
  } else if (const fs::path home = environment("HOME"); home.is_absolute()) {
    options.folder = home / ".cache" / "benchhud";
  } else {
    return Error{ErrorCode::kPlaceRefused,
                 "no folder is known for the cache: name one by BENCHHUD_CACHE"};
  }
  const std::string bytes = environment("BENCHHUD_CACHE_BYTES");
  if (bytes.empty()) return options;
  const char* const end = bytes.data() + bytes.size();
  const auto read = std::from_chars(bytes.data(), end, options.most_bytes);
  if (read.ec != std::errc() || read.ptr != end || options.most_bytes <= 0) {
    return Error{ErrorCode::kPlaceRefused,
                 "BENCHHUD_CACHE_BYTES is no number of bytes, such as 10000000000"};
  }
  return options;
}

fs::path ObjectCache::path_of(const ContentHash& hash, const char* end) const {
  return options_.folder / (hash.hex() + end);
}

Expected<void> ObjectCache::make_folder() const {
  std::error_code error;
  if (fs::is_directory(options_.folder, error)) return {};
  const fs::path above = options_.folder.parent_path();
  if (!above.empty()) fs::create_directories(above, error);
  if (mkdir(options_.folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return file_error("make the folder", options_.folder, errno);
}

Expected<CachedObject> ObjectCache::get(ObjectPlace& place, const ObjectName& object) {
  BENCHHUD_TRY(make_folder());
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    BENCHHUD_ASSIGN(auto found, find(object));
    if (found) return *std::move(found);
    BENCHHUD_TRY(fetch_once(place, object));
  }
  return Error{
      ErrorCode::kBusy,
      fmt::format("the cache {} is too small for what is read at the same time: {} was "
                  "removed again before it could be read; let BENCHHUD_CACHE_BYTES be larger",
                  options_.folder.string(), object.key)};
}

void ObjectCache::doubt(const ContentHash& hash) {
  const std::scoped_lock lock(mutex_);
  checked_.erase(hash.hex());
}

Expected<std::optional<CachedObject>> ObjectCache::find(const ObjectName& object) {
  const fs::path path = path_of(object.hash, kObjectEnd);
  auto file = InputFile::open(path);
  if (!file) {
    if (file.error().code == ErrorCode::kNotFound) return std::optional<CachedObject>();
    return file.error();
  }
  // Somebody is just removing it, or has between our opening and our locking it.
  if (!lock_for_reading(file->file) || is_removed(file->file)) return std::optional<CachedObject>();
  // It may have other bytes after a power cut, or where a disk fails or somebody writes into it.
  // The place has the right ones, and fetch() puts them here in place of these.
  if (file->byte_count != object.byte_count) return std::optional<CachedObject>();
  if (!is_checked(object.hash, file->state)) {
    BENCHHUD_ASSIGN(const ContentHash hash, hash_of(*file));
    if (hash != object.hash) return std::optional<CachedObject>();
    set_checked(object.hash, file->state);
  }
  note_reading(file->file);
  return std::optional(CachedObject(path, std::move(file->file)));
}

Expected<void> ObjectCache::fetch_once(ObjectPlace& place, const ObjectName& object) {
  const std::string name = object.hash.hex();
  std::promise<Expected<void>> promise;
  {
    std::unique_lock lock(mutex_);
    if (const auto under_way = fetches_.find(name); under_way != fetches_.end()) {
      const Fetched fetched = under_way->second;
      lock.unlock();
      return fetched.get();
    }
    fetches_.emplace(name, promise.get_future().share());
  }
  Expected<void> fetched = caught([&] { return fetch(place, object); });
  {
    const std::scoped_lock lock(mutex_);
    fetches_.erase(name);
  }
  promise.set_value(fetched);
  return fetched;
}

Expected<void> ObjectCache::fetch(ObjectPlace& place, const ObjectName& object) {
  const fs::path partial = path_of(object.hash, kPartialEnd);
  BENCHHUD_ASSIGN(FileLock lock, wait_for_lock(path_of(object.hash, kLockEnd), partial, options_));
  BENCHHUD_ASSIGN(const auto found, find(object));
  if (found) return {};  // by the process that had the lock
  BENCHHUD_TRY(reserve(object, &lock));
  const RemovedAtEnd removed(partial);
  auto fetched = fetch_into(partial, place, object);
  if (!fetched && fetched.error().code == ErrorCode::kFull) {
    BENCHHUD_ASSIGN(const bool has_room, make_room_on_disk(object));
    if (has_room) fetched = fetch_into(partial, place, object);
  }
  // Once more: an answer may be cut where nothing says how long it is.
  if (fetched && !fetched->is(object)) fetched = fetch_into(partial, place, object);
  if (!fetched) {
    Error error = std::move(fetched).error();
    if (error.code == ErrorCode::kFull) error.message += "; BENCHHUD_CACHE names another folder";
    return error;
  }
  if (!fetched->is(object)) {
    return Error{
        ErrorCode::kCorrupt,
        fmt::format("{} in {} is damaged: it has {} bytes with the hash {}, and should have "
                    "{} with {}; put back a copy, or ingest its file again",
                    object.key, place.address(), fetched->byte_count, fetched->hash.hex(),
                    object.byte_count, object.hash.hex())};
  }
  const fs::path path = path_of(object.hash, kObjectEnd);
  if (std::rename(partial.c_str(), path.c_str()) != 0) return file_error("write", path, errno);
  set_checked(object.hash, fetched->state);
  return {};
}

Expected<void> ObjectCache::reserve(const ObjectName& object, FileLock* lock) {
  if (object.byte_count > options_.most_bytes) return no_room(options_, object.byte_count);
  // One at a time: two that count at once would both take the room that is left.
  BENCHHUD_ASSIGN(const FileLock capacity,
                  wait_for_lock(options_.folder / kCapacityLock, {}, options_));
  // A process that was killed may have left what it had reserved for this object.
  BENCHHUD_TRY(lock->write("0"));
  BENCHHUD_ASSIGN(const CacheContent content, content_of(options_.folder));
  const std::int64_t too_many = content.byte_count + object.byte_count - options_.most_bytes;
  const std::int64_t missing = missing_on_disk(options_, object.byte_count);
  const Evicted evicted = evict_unread(content, object.hash, std::max(too_many, missing));
  forget_all_but(evicted.left);
  if (too_many > evicted.byte_count) return no_room(options_, object.byte_count);
  return lock->write(std::to_string(object.byte_count));
}

Expected<bool> ObjectCache::make_room_on_disk(const ObjectName& object) {
  BENCHHUD_ASSIGN(const FileLock capacity,
                  wait_for_lock(options_.folder / kCapacityLock, {}, options_));
  BENCHHUD_ASSIGN(const CacheContent content, content_of(options_.folder));
  const Evicted evicted = evict_unread(content, object.hash, object.byte_count);
  forget_all_but(evicted.left);
  return evicted.byte_count > 0;
}

bool ObjectCache::is_checked(const ContentHash& hash, const FileState& state) const {
  const std::scoped_lock lock(mutex_);
  const auto found = checked_.find(hash.hex());
  return found != checked_.end() && found->second == state;
}

void ObjectCache::set_checked(const ContentHash& hash, const FileState& state) {
  const std::scoped_lock lock(mutex_);
  checked_.insert_or_assign(hash.hex(), state);
}

void ObjectCache::forget_all_but(const std::set<std::string>& hashes) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(checked_, [&](const auto& checked) { return !hashes.contains(checked.first); });
}

}  // namespace benchhud::schema
