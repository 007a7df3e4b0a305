#include "trace/pack/pack_reading.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "schema/base/time.h"
#include "schema/places/background_fetches.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace fs = std::filesystem;

Error damaged_place(std::string_view key, std::string_view what) {
  return {ErrorCode::kCorrupt,
          fmt::format("The trace's pack {} in the store's place cannot be used: {}. Restore it "
                      "from a backup of the place, or ingest the trace's file again. `benchhud "
                      "doctor` lists all packs that are missing or damaged.",
                      key, what)};
}

namespace {

/// Files whose bytes were looked at, by what changes with them and the hash that they have.
class CheckedFiles {
 public:
  bool has(const std::string& file, const std::string& state) {
    const std::scoped_lock lock(mutex_);
    const auto found = states_.find(file);
    return found != states_.end() && found->second == state;
  }
  void add(const std::string& file, std::string state) {
    constexpr std::size_t kMostKept = 10'000;
    const std::scoped_lock lock(mutex_);
    if (states_.size() >= kMostKept) states_.clear();
    states_[file] = std::move(state);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> states_;
};

CheckedFiles& checked_files() {
  static CheckedFiles files;
  return files;
}

}  // namespace

std::optional<fs::path> file_in_place(const std::string& address, std::string_view key) {
  if (address.starts_with("s3://")) return std::nullopt;
  return fs::path(address) / key;
}

namespace {

Expected<struct stat> stat_of_pack(const fs::path& file, const PlacedPack& pack) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) return damaged_place(pack.key, "it is not there");
    return Error{ErrorCode::kIo,
                 fmt::format("cannot read {}: {}", file.string(), std::strerror(errno))};
  }
  if (status.st_size != pack.facts.byte_count) {
    return damaged_place(pack.key, fmt::format("it has {} bytes instead of {}", status.st_size,
                                               pack.facts.byte_count));
  }
  return status;
}

}  // namespace

Expected<void> check_pack_bytes(const fs::path& file, const PlacedPack& pack) {
  BENCHHUD_TRY(stat_of_pack(file, pack));
  BENCHHUD_ASSIGN(const PackFacts facts, facts_of_file(file));
  if (facts.hash == pack.facts.hash) return {};
  return damaged_place(pack.key, "its bytes have changed");
}

Expected<void> check_placed_file(const fs::path& file, const PlacedPack& pack) {
  const double began = schema::now();
  BENCHHUD_ASSIGN(const struct stat status, stat_of_pack(file, pack));
  std::string state =
      fmt::format("{} {} {} {} {}", status.st_dev, status.st_ino, status.st_ctim.tv_sec,
                  status.st_ctim.tv_nsec, pack.facts.hash.hex());
  if (checked_files().has(file.string(), state)) return {};
  BENCHHUD_TRY(check_pack_bytes(file, pack));
  constexpr double kTellsApart = 2;  // seconds
  const auto changed = static_cast<double>(status.st_ctim.tv_sec);
  if (began - changed > kTellsApart) checked_files().add(file.string(), std::move(state));
  return {};
}

namespace {

/// Null: the environment names no folder for it, and why.
const Expected<std::unique_ptr<schema::ObjectCache>>& cache_of_process() {
  static const auto cache = []() -> Expected<std::unique_ptr<schema::ObjectCache>> {
    BENCHHUD_ASSIGN(auto options, schema::cache_options_of_environment());
    options.gives_up = are_places_given_up;
    return std::make_unique<schema::ObjectCache>(std::move(options));
  }();
  return cache;
}

/// Made by who has asked for the cache, which has to outlive it.
schema::BackgroundFetches& fetches_of_process(schema::ObjectCache& cache) {
  static schema::BackgroundFetches fetches(cache);
  return fetches;
}

using CachedPack = std::shared_ptr<const schema::CachedObject>;

Expected<CachedPack> cached_pack(const TracePlace& known, const PlacedPack& pack, PackWait wait) {
  const auto& cache = cache_of_process();
  if (!cache) return cache.error();
  const schema::ObjectName name{pack.key, pack.facts.hash, pack.facts.byte_count};
  if (wait == PackWait::kShort) {
    BENCHHUD_ASSIGN(auto kept, (*cache)->find(name));
    if (kept) return std::make_shared<const schema::CachedObject>(*std::move(kept));
    const auto open = [known](std::function<bool()> gives_up) {
      return open_trace_place(known, std::move(gives_up));
    };
    return fetches_of_process(**cache).wait_for(name, open);
  }
  BENCHHUD_ASSIGN(const auto place, open_trace_place(known));
  BENCHHUD_ASSIGN(schema::CachedObject got, (*cache)->get(*place, name));
  return std::make_shared<const schema::CachedObject>(std::move(got));
}

Expected<Connection> open_file(const fs::path& file, const PlacedPack& pack) {
  auto opened = open_pack(file);
  if (!opened && opened.error().code != ErrorCode::kVersion) {
    return damaged_place(pack.key, opened.error().message);
  }
  return opened;
}

}  // namespace

Expected<PackFile> placed_pack_file(const TracePlace& place, const PlacedPack& pack,
                                    PackWait wait) {
  if (const auto file = file_in_place(place.address, pack.key)) {
    // Opened first: where the place itself is not there, no pack is said to be missing.
    BENCHHUD_ASSIGN([[maybe_unused]] const auto opened, open_trace_place(place));
    BENCHHUD_TRY(check_placed_file(*file, pack));
    return PackFile{*file, nullptr};
  }
  auto object = cached_pack(place, pack, wait);
  if (object) return PackFile{(*object)->path(), *object};
  if (object.error().code == ErrorCode::kNotFound) {
    return damaged_place(pack.key, "it is not there");
  }
  if (object.error().code == ErrorCode::kCorrupt) {
    return damaged_place(pack.key, object.error().message);
  }
  return std::move(object).error();
}

Expected<Connection> open_placed_pack(const TracePlace& place, const PlacedPack& pack,
                                      PackWait wait) {
  for (bool is_doubted = false;; is_doubted = true) {
    BENCHHUD_ASSIGN(const PackFile file, placed_pack_file(place, pack, wait));
    auto opened = open_file(file.path, pack);
    const bool is_damaged = !opened && opened.error().code == ErrorCode::kCorrupt;
    if (!is_damaged || !file.kept || is_doubted) return opened;
    // The copy may have changed since the process has read it whole.
    doubt_placed_pack(place, pack);
  }
}

void end_waiting_for_places() {
  give_up_places();
  if (const auto& cache = cache_of_process()) fetches_of_process(**cache).end();
}

void doubt_placed_pack(const TracePlace& place, const PlacedPack& pack) {
  if (file_in_place(place.address, pack.key)) return;
  if (const auto& cache = cache_of_process()) (*cache)->doubt(pack.facts.hash);
}

}  // namespace benchhud::trace
