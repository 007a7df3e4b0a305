// Objects as files of a folder, which may be a network file system that several machines mount.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "schema/places/object_place.h"

namespace benchhud::schema {

/// An object's file has its key as path. A file is written in the folder `.incoming`, synced,
/// renamed and its folder synced; what a process that was killed left in `.incoming` is removed by
/// a put() more than a day later.
class FolderPlace : public ObjectPlace {
 public:
  /// The folder has to be there and to be marked, with the id of `options` unless that is "". The
  /// path of a disk is often an empty folder while the disk is not mounted; to use that would split
  /// the objects over two disks. Each operation looks again. Errors: kInvalidArgument, an empty
  /// path; kPlaceRefused, no such folder.
  static Expected<std::unique_ptr<ObjectPlace>> open(const std::filesystem::path& folder,
                                                     const PlaceOptions& options = {});
  /// See mark_place().
  static Expected<void> mark(const std::filesystem::path& folder, const std::string& id);

  const std::string& address() const override { return address_; }
  Expected<void> put(std::string_view key, const std::filesystem::path& file) override;
  Expected<void> fetch(std::string_view key, const std::filesystem::path& file,
                       std::int64_t most_bytes) override;
  Expected<std::optional<PlacedObject>> find(std::string_view key) override;
  Expected<void> remove(std::string_view key) override;
  Expected<void> list(std::string_view prefix,
                      const std::function<Expected<void>(const PlacedObject&)>& visit) override;

 private:
  FolderPlace(const std::filesystem::path& folder, const PlaceOptions& options)
      : folder_(folder),
        address_(folder.string()),
        id_(options.id),
        needs_mark_(options.needs_mark) {}

  /// Error: kPlaceRefused where the folder has gone, or is not the place.
  Expected<void> check_folder() const;
  /// Writes the copy of `file` that has no name yet, and gives it the path `to`.
  Expected<void> put_as(const std::filesystem::path& to, const std::filesystem::path& file);

  std::filesystem::path folder_;
  std::string address_;
  std::string id_;
  bool needs_mark_;
};

}  // namespace benchhud::schema
