// Objects of a place as files of this machine: fetched whole, checked by their hash, and kept as
// long as a bounded folder has room for them.
//
// The folder has `HASH.object` for each object that is there, `HASH.partial` for one that is being
// fetched, and `HASH.lock`, which whoever fetches it holds and which says how many bytes it is
// going to have. So several processes may share the folder, and it never has more than it may. Only
// who holds `HASH.lock` removes or replaces `HASH.object`. When an object was read last is the time
// of access of its file; the time of its last change shows that somebody else has written into it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/base/file_lock.h"
#include "schema/places/local_file.h"
#include "schema/places/object_place.h"

namespace benchhud::schema {

/// An object as the store remembers it.
struct ObjectName {
  std::string key;
  ContentHash hash;  ///< Of its bytes.
  std::int64_t byte_count = 0;
};

/// A file that stays where it is as long as this lives. It is not to be written.
class CachedObject {
 public:
  const std::filesystem::path& path() const { return path_; }

 private:
  friend class ObjectCache;
  CachedObject(std::filesystem::path path, FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  FileDescriptor lock_;  // shared; what is removed is locked exclusively before
};

struct CacheOptions {
  std::filesystem::path folder;  ///< Made if it is not there, for its user alone.
  std::int64_t most_bytes = 10'000'000'000;
  /// What the disk is to have free beside it, for others: what nobody reads is removed for that,
  /// but nothing is refused.
  std::int64_t least_free_bytes = 1'000'000'000;
  /// For another process that fetches the same object, from when it last wrote some of it.
  std::chrono::milliseconds longest_wait = std::chrono::minutes(10);
  /// Asked while another process is waited for: true ends that with kUnavailable.
  std::function<bool()> gives_up{};
};

/// What the environment asks for: the folder BENCHHUD_CACHE, else CACHE_DIRECTORY (which systemd
/// sets), `benchhud` in XDG_CACHE_HOME or `~/.cache/benchhud`; and BENCHHUD_CACHE_BYTES, a number.
/// Error: kInvalidArgument, a number that is none, or no folder is known.
Expected<CacheOptions> cache_options_of_environment();

/// Several threads may use one at the same time.
class ObjectCache {
 public:
  explicit ObjectCache(CacheOptions options) : options_(std::move(options)) {}

  /// The object, from the folder or fetched into it. Of all threads and processes that ask for one
  /// at the same time, one fetches it; threads of this cache get its error as well. What has not
  /// been read longest is removed where room is needed. Errors: those of ObjectPlace::fetch();
  /// kCorrupt also where the place has other bytes than `object` says; kFull, what is being read
  /// leaves no room, or the disk has none; kBusy, another process took too long.
  Expected<CachedObject> get(ObjectPlace& place, const ObjectName& object);

  /// The object, if it is in the folder as it should be: no place is asked. Errors: kIo.
  Expected<std::optional<CachedObject>> find(const ObjectName& object);

  /// Says that an object seems to be damaged: the next get() reads its file whole, and fetches the
  /// object again if the bytes are wrong.
  void doubt(const ContentHash& hash);

 private:
  using Fetched = std::shared_future<Expected<void>>;

  std::filesystem::path path_of(const ContentHash& hash, const char* end) const;
  Expected<void> make_folder() const;
  /// Fetches the object, or waits for the thread that does.
  Expected<void> fetch_once(ObjectPlace& place, const ObjectName& object);
  Expected<void> fetch(ObjectPlace& place, const ObjectName& object);
  /// Makes room for the object, and keeps it by what `lock` then says.
  Expected<void> reserve(const ObjectName& object, FileLock* lock);
  /// Removes so much of what nobody reads that a full disk may have room for the object. Whether
  /// there was something.
  Expected<bool> make_room_on_disk(const ObjectName& object);
  bool is_checked(const ContentHash& hash, const FileState& state) const;
  void set_checked(const ContentHash& hash, const FileState& state);
  /// Keeps what is known of files that are still there.
  void forget_all_but(const std::set<std::string>& hashes);

  CacheOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, Fetched> fetches_;    // by hash: under way in this process
  std::map<std::string, FileState> checked_;  // by hash: files that this process has read whole
};

}  // namespace benchhud::schema
