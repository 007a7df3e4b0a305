#include "schema/places/folder_place.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "schema/base/ascii.h"
#include "schema/base/time.h"
#include "schema/places/local_file.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIncoming = ".incoming";
constexpr const char* kMark = ".benchhud-place";
constexpr double kLeftBehindAfter = 24 * 60 * 60;  // seconds

struct FileFacts {
  bool is_file = false;
  std::int64_t byte_count = 0;
  double modified = 0;  // seconds since 1970
};

/// Nothing where there is nothing of that name.
Expected<std::optional<FileFacts>> facts_of(const fs::path& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<FileFacts>();
    Error error = file_error("look at", path, errno);
    error.code = ErrorCode::kIo;
    return error;
  }
  constexpr double kNanosecond = 1e-9;
  return std::optional(FileFacts{S_ISREG(status.st_mode), status.st_size,
                                 static_cast<double>(status.st_mtim.tv_sec) +
                                     kNanosecond * static_cast<double>(status.st_mtim.tv_nsec)});
}

/// A name that no other process takes, of whatever machine.
std::string name_of_incoming(const std::string& name) {
  static std::atomic<std::uint64_t> made = 0;
  const auto clock = std::chrono::steady_clock::now().time_since_epoch().count();
  return fmt::format("{}.{}.{:x}.{}", name, getpid(), clock, ++made);
}

void remove_left_behind_in(const fs::path& incoming) {
  std::error_code error;
  for (fs::directory_iterator entry(incoming, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto facts = facts_of(entry->path());
    if (facts && *facts && (*facts)->is_file && (*facts)->modified + kLeftBehindAfter < now()) {
      unlink(entry->path().c_str());
    }
  }
}

/// What a place's mark says. Errors: kNotFound, there is none; kPlaceRefused, it says something
/// else; kIo.
Expected<std::string> id_of_place(const fs::path& folder) {
  const fs::path mark = folder / kMark;
  BENCHHUD_ASSIGN(const InputFile file, InputFile::open(mark));
  std::array<char, kPlaceIdDigits + 2> buffer{};
  BENCHHUD_ASSIGN(const std::string_view text, read_some(file, buffer.data(), buffer.size()));
  std::string id(trim(text));
  if (is_place_id(id)) return id;
  return Error{ErrorCode::kPlaceRefused,
               fmt::format("{} does not say which place the folder is; put it back from a copy, or "
                           "remove it and set the place again",
                           mark.string())};
}

Expected<void> write_mark(const fs::path& folder, const std::string& id) {
  BENCHHUD_ASSIGN(TemporaryFile file, TemporaryFile::make_new(folder / kMark));
  BENCHHUD_TRY(file.write(id + "\n"));
  return file.keep_synced();
}

/// The path as it holds in every working directory.
Expected<fs::path> whole_path(const fs::path& folder) {
  if (folder.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the address of the place is empty"};
  }
  std::error_code error;
  fs::path whole = fs::absolute(folder, error).lexically_normal();
  if (error) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot find {}: {}", folder.string(), error.message())};
  }
  if (!whole.has_filename() && whole.has_relative_path()) whole = whole.parent_path();
  return whole;
}

Expected<void> check_is_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_directory(status)) return {};
  if (status.type() == fs::file_type::none) {
    return Error{ErrorCode::kPlaceRefused,
                 fmt::format("the folder {} cannot be read: {}", folder.string(), error.message())};
  }
  return Error{ErrorCode::kPlaceRefused,
               fmt::format("there is no folder {}: make it, or mount the disk that has it",
                           folder.string())};
}

/// list() follows no symbolic links: what lay behind one could be put and never be listed.
Expected<void> check_no_links(const fs::path& folder, const fs::path& key) {
  fs::path path = folder;
  for (const fs::path& part : key.parent_path()) {
    path /= part;
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(path, ignored))) {
      return Error{ErrorCode::kPlaceRefused,
                   fmt::format("{} is a symbolic link, which places do not follow; mount its disk "
                               "there",
                               path.string())};
    }
  }
  return {};
}

Error no_object(const std::string& place, std::string_view key) {
  return {ErrorCode::kNotFound, fmt::format("there is no {} in {}", key, place)};
}

}  // namespace

Expected<std::unique_ptr<ObjectPlace>> FolderPlace::open(const fs::path& folder,
                                                         const PlaceOptions& options) {
  BENCHHUD_ASSIGN(const fs::path whole, whole_path(folder));
  std::unique_ptr<FolderPlace> place(new FolderPlace(whole, options));
  BENCHHUD_TRY(place->check_folder());
  return std::unique_ptr<ObjectPlace>(std::move(place));
}

Expected<void> FolderPlace::mark(const fs::path& folder, const std::string& id) {
  BENCHHUD_ASSIGN(const fs::path whole, whole_path(folder));
  BENCHHUD_TRY(check_is_folder(whole));
  auto found = id_of_place(whole);
  if (!found && found.error().code == ErrorCode::kNotFound) {
    const auto written = write_mark(whole, id);
    if (written) return {};
    // Another process may have written one at the same time.
    found = id_of_place(whole);
    if (!found) return written.error();
  }
  BENCHHUD_TRY(found);
  if (*found == id) return {};
  return is_of_another_store(whole.string(), fmt::format("the file {}", kMark));
}

Expected<void> FolderPlace::check_folder() const {
  BENCHHUD_TRY(check_is_folder(folder_));
  const auto id = id_of_place(folder_);
  if (!id && id.error().code != ErrorCode::kNotFound) return id.error();
  if (id ? id_.empty() || id_ == *id : !needs_mark_) return {};
  const std::string which = id_.empty() ? "" : fmt::format(", which says {},", id_);
  const std::string why = id ? fmt::format("it is the place {} and not {}", *id, id_)
                             : fmt::format("its file {}{} is missing", kMark, which);
  return Error{ErrorCode::kPlaceRefused,
               fmt::format("the folder {} is there, but is not the place that was set: {}; mount "
                           "the disk that has it",
                           address_, why)};
}

Expected<void> FolderPlace::put(std::string_view key, const fs::path& file) {
  BENCHHUD_TRY(check_key(key));
  BENCHHUD_TRY(check_folder());
  const fs::path path(key);
  BENCHHUD_TRY(check_no_links(folder_, path));
  BENCHHUD_TRY(make_folders(folder_, kIncoming));
  remove_left_behind_in(folder_ / kIncoming);
  BENCHHUD_TRY(make_folders(folder_, path.parent_path()));
  return put_as(folder_ / path, file);
}

Expected<void> FolderPlace::put_as(const fs::path& to, const fs::path& file) {
  BENCHHUD_ASSIGN(const InputFile from, InputFile::open(file));
  if (from.byte_count > kMostObjectBytes) return too_large(file, from.byte_count);
  BENCHHUD_ASSIGN(
      TemporaryFile written,
      TemporaryFile::make_new(folder_ / kIncoming / name_of_incoming(to.filename().string())));
  BENCHHUD_TRY(copy_bytes(from, &written, kMostObjectBytes));
  if (written.byte_count() != from.byte_count) return changed_meanwhile(file);
  return written.keep_as(to);
}

Expected<void> FolderPlace::fetch(std::string_view key, const fs::path& file,
                                  std::int64_t most_bytes) {
  BENCHHUD_TRY(check_key(key));
  BENCHHUD_ASSIGN(TemporaryFile written, TemporaryFile::make(file));
  BENCHHUD_ASSIGN(const auto found, find(key));
  if (!found) return no_object(address_, key);
  BENCHHUD_ASSIGN(const InputFile from, InputFile::open(folder_ / fs::path(key)));
  if (const auto copied = copy_bytes(from, &written, most_bytes); !copied) {
    Error error = copied.error();
    error.message = fmt::format("{}/{}: {}", address_, key, error.message);
    return error;
  }
  return written.keep();
}

Expected<std::optional<PlacedObject>> FolderPlace::find(std::string_view key) {
  BENCHHUD_TRY(check_key(key));
  BENCHHUD_TRY(check_no_links(folder_, key));
  BENCHHUD_ASSIGN(const auto facts, facts_of(folder_ / fs::path(key)));
  if (facts && facts->is_file) {
    return std::optional(PlacedObject{std::string(key), facts->byte_count, facts->modified});
  }
  // Where the disk is not mounted, nothing is known of the object.
  BENCHHUD_TRY(check_folder());
  return std::optional<PlacedObject>();
}

Expected<void> FolderPlace::remove(std::string_view key) {
  BENCHHUD_TRY(check_key(key));
  BENCHHUD_TRY(check_folder());
  BENCHHUD_TRY(check_no_links(folder_, key));
  const fs::path path = folder_ / fs::path(key);
  if (unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  return file_error("remove", path, errno);
}

Expected<void> FolderPlace::list(std::string_view prefix,
                                 const std::function<Expected<void>(const PlacedObject&)>& visit) {
  BENCHHUD_TRY(check_folder());
  const auto cannot_list = [&](const std::error_code& why) {
    return Error{ErrorCode::kIo, fmt::format("cannot list {}: {}", address_, why.message())};
  };
  const std::size_t above = (folder_ / "").native().size();
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const std::string key = entry->path().native().substr(above);
    if (entry->is_directory(ignored)) {
      // Below a folder all keys begin with its name.
      const std::string below = key + "/";
      const bool is_on_the_way = below.starts_with(prefix) || prefix.starts_with(below);
      if (!is_on_the_way || !check_key(key)) entry.disable_recursion_pending();
      continue;
    }
    if (!key.starts_with(prefix) || !check_key(key)) continue;
    BENCHHUD_ASSIGN(const auto facts, facts_of(entry->path()));
    if (facts && facts->is_file) {
      BENCHHUD_TRY(visit({key, facts->byte_count, facts->modified}));
    }
  }
  if (error) return cannot_list(error);
  // Where the disk has gone meanwhile, the list lacks what it has.
  return check_folder();
}

}  // namespace benchhud::schema
