#include "schema/base/temporary_files.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <new>
#include <string>

namespace benchhud::schema {

struct TemporaryLayer : sqlite3_vfs {
  sqlite3_vfs* usual = nullptr;
  std::string own_name;
  std::int64_t left = 0;  // bytes
  bool was_full = false;
};

namespace {

/// SQLite's own file lies behind it in the same memory.
struct BoundedFile : sqlite3_file {
  sqlite3_file* usual() { return reinterpret_cast<sqlite3_file*>(this + 1); }

  TemporaryLayer* layer = nullptr;
  std::int64_t size = 0;
};

BoundedFile& bounded(sqlite3_file* file) { return *static_cast<BoundedFile*>(file); }

void set_size(BoundedFile& file, std::int64_t size) {
  file.layer->left += file.size - size;
  file.size = size;
}

int close_bounded(sqlite3_file* base) {
  BoundedFile& file = bounded(base);
  set_size(file, 0);
  return file.usual()->pMethods->xClose(file.usual());
}

int write_bounded(sqlite3_file* base, const void* bytes, int count, sqlite3_int64 at) {
  BoundedFile& file = bounded(base);
  const std::int64_t size = std::max<std::int64_t>(file.size, at + count);
  if (size - file.size > file.layer->left) {
    file.layer->was_full = true;
    return SQLITE_FULL;
  }
  set_size(file, size);
  return file.usual()->pMethods->xWrite(file.usual(), bytes, count, at);
}

int truncate_bounded(sqlite3_file* base, sqlite3_int64 size) {
  BoundedFile& file = bounded(base);
  const int code = file.usual()->pMethods->xTruncate(file.usual(), size);
  if (code == SQLITE_OK) set_size(file, std::min<std::int64_t>(file.size, size));
  return code;
}

/// A method that the usual file does as it is.
template <auto kMethod>
struct UsualMethod;
template <class Result, class... Args,
          Result (*sqlite3_io_methods::*kMethod)(sqlite3_file*, Args...)>
struct UsualMethod<kMethod> {
  static Result call(sqlite3_file* file, Args... args) {
    sqlite3_file* usual = bounded(file).usual();
    return (usual->pMethods->*kMethod)(usual, args...);
  }
};

// Of version 1: without memory maps, through which a file would be written uncounted.
constexpr sqlite3_io_methods kBoundedMethods = [] {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = close_bounded;
  methods.xRead = UsualMethod<&sqlite3_io_methods::xRead>::call;
  methods.xWrite = write_bounded;
  methods.xTruncate = truncate_bounded;
  methods.xSync = UsualMethod<&sqlite3_io_methods::xSync>::call;
  methods.xFileSize = UsualMethod<&sqlite3_io_methods::xFileSize>::call;
  methods.xLock = UsualMethod<&sqlite3_io_methods::xLock>::call;
  methods.xUnlock = UsualMethod<&sqlite3_io_methods::xUnlock>::call;
  methods.xCheckReservedLock = UsualMethod<&sqlite3_io_methods::xCheckReservedLock>::call;
  methods.xFileControl = UsualMethod<&sqlite3_io_methods::xFileControl>::call;
  methods.xSectorSize = UsualMethod<&sqlite3_io_methods::xSectorSize>::call;
  methods.xDeviceCharacteristics = UsualMethod<&sqlite3_io_methods::xDeviceCharacteristics>::call;
  return methods;
}();

int open_bounded(sqlite3_vfs* vfs, const char* name, sqlite3_file* memory, int flags,
                 int* flags_out) {
  auto* layer = static_cast<TemporaryLayer*>(vfs);
  auto* file = new (memory) BoundedFile;
  file->pMethods = nullptr;
  file->layer = layer;
  const int code = layer->usual->xOpen(layer->usual, name, file->usual(), flags, flags_out);
  if (code == SQLITE_OK) file->pMethods = &kBoundedMethods;
  return code;
}

}  // namespace

BoundedTemporaryFiles::BoundedTemporaryFiles(std::int64_t most_bytes)
    : layer_(std::make_unique<TemporaryLayer>()) {
  sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
  // What it does not do itself the usual one does, which asks nothing of the object it is called
  // by.
  static_cast<sqlite3_vfs&>(*layer_) = *usual;
  layer_->usual = usual;
  layer_->left = most_bytes;
  layer_->own_name = fmt::format("benchhud-temporary-{}", static_cast<const void*>(layer_.get()));
  layer_->pNext = nullptr;
  layer_->zName = layer_->own_name.c_str();
  layer_->szOsFile += static_cast<int>(sizeof(BoundedFile));
  layer_->xOpen = open_bounded;
  sqlite3_vfs_register(layer_.get(), /*makeDflt=*/0);
}

BoundedTemporaryFiles::~BoundedTemporaryFiles() { sqlite3_vfs_unregister(layer_.get()); }

const char* BoundedTemporaryFiles::name() const { return layer_->zName; }
bool BoundedTemporaryFiles::was_full() const { return layer_->was_full; }

}  // namespace benchhud::schema
