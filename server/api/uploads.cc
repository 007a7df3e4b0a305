#include "server/api/uploads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "schema/base/caught_error.h"
#include "schema/base/file_lock.h"
#include "schema/base/system_error.h"
#include "schema/base/time.h"
#include "schema/results/artifact_writer.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"
#include "schema/store/store_lock.h"
#include "server/api/store_pool.h"
#include "server/http/unpacker.h"
#include "service/imports/importer.h"
#include "views/dropped_trace_json.h"
#include "views/ingest_report.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::size_t kReadBytes = 64 << 10;

Error spool_error(const char* what) {
  return {schema::is_out_of_space(errno) ? ErrorCode::kFull : ErrorCode::kIo,
          fmt::format("{}: {}.", what, std::strerror(errno))};
}

/// A file in a folder of its own, which goes with this. The folder is locked meanwhile, so that
/// others see that it is wanted.
class SpooledFile {
 public:
  /// Makes one of that name, in a folder in `folder` that nobody else is in.
  static Expected<std::unique_ptr<SpooledFile>> make(const std::string& folder,
                                                     const std::string& name) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    constexpr int kMostAttempts = 10;
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      std::string own = folder + "/.incoming-XXXXXX";
      if (mkdtemp(own.data()) == nullptr) return spool_error(kCannotBeKept);
      auto made = std::make_unique<SpooledFile>(std::move(own), name);
      BENCHHUD_ASSIGN(const bool is_made, made->open());
      if (is_made) return made;
    }
    return Error{ErrorCode::kBusy, "Another server removes what is sent; try again in a moment."};
  }
  SpooledFile(std::string folder, const std::string& name)
      : folder_(std::move(folder)), path_(folder_ + "/" + name) {}
  SpooledFile(const SpooledFile&) = delete;
  SpooledFile& operator=(const SpooledFile&) = delete;
  ~SpooledFile() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
    if (file_ >= 0) ::close(file_);
    if (lock_ >= 0) ::close(lock_);
  }

  const std::string& path() const { return path_; }

  Expected<void> write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return spool_error(kCannotBeKept);
      bytes.remove_prefix(static_cast<std::size_t>(count));
      byte_count_ += count;
    }
    return {};
  }

  std::int64_t byte_count() const { return byte_count_; }

 private:
  static constexpr const char* kCannotBeKept = "What is sent cannot be kept beside the store";

  /// False where another server that cleans up took it for a left-over before it was locked.
  Expected<bool> open() {
    lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (lock_ < 0 && errno == ENOENT) return false;
    if (lock_ < 0) return spool_error(kCannotBeKept);
    BENCHHUD_ASSIGN(const bool is_locked, schema::try_lock(lock_, "what is sent"));
    if (!is_locked) return false;
    constexpr mode_t kOwn = 0600;
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwn);
    if (file_ < 0 && errno == ENOENT) return false;
    if (file_ < 0) return spool_error(kCannotBeKept);
    return true;
  }

  const std::string folder_, path_;
  int lock_ = -1, file_ = -1;
  std::int64_t byte_count_ = 0;
};

/// A file's name without a way out of its folder.
Expected<void> check_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 200;
  const bool is_one = !name.empty() && name.size() <= kMostBytes && name.front() != '.' &&
                      name.find_first_of("/\\") == std::string_view::npos &&
                      std::ranges::none_of(name, [](char c) {
                        const auto u = static_cast<unsigned char>(c);
                        return u < 0x20 || u == 0x7f;
                      });
  if (is_one) return {};
  return Error{ErrorCode::kInvalidArgument,
               "name is a file's name: no slashes, no dot before it, at most 200 bytes."};
}

/// What begins so the pipeline would unpack by itself, without a cap.
constexpr std::string_view kGzipBegin = "\x1f\x8b", kZstdBegin = "\x28\xb5\x2f\xfd";

/// The body, unpacked, in a file beside the store.
Expected<std::unique_ptr<SpooledFile>> spool(const Request& request, Packing packing,
                                             const std::string& folder, const std::string& name,
                                             std::int64_t most) {
  BENCHHUD_ASSIGN(auto file, SpooledFile::make(folder, name));
  const auto unpacker = Unpacker::make(packing, most);
  std::string begin;  // as far as it tells; its bytes may come one by one
  const auto take = [&](std::string_view piece) -> Expected<void> {
    if (begin.size() < kZstdBegin.size()) {
      begin += piece.substr(0, kZstdBegin.size() - begin.size());
      const bool is_gzip = begin.starts_with(kGzipBegin);
      if (is_gzip || begin == kZstdBegin) {
        return Error{ErrorCode::kMediaType,
                     packing != Packing::kNone ? "The body is packed twice."
                     : is_gzip ? "The body is gzip data: send it as Content-Type: application/gzip."
                               : "The body is zstd data: send it as Content-Type: "
                                 "application/zstd."};
      }
    }
    return file->write(piece);
  };
  std::array<char, kReadBytes> bytes;
  for (;;) {
    BENCHHUD_ASSIGN(const std::size_t count, request.read_body(bytes.data(), bytes.size()));
    if (count == 0) break;
    BENCHHUD_TRY(unpacker->unpack({bytes.data(), count}, take));
  }
  BENCHHUD_TRY(unpacker->finish());
  return file;
}

ingest::IngestOptions options_of(const Query& query) {
  ingest::IngestOptions options;
  if (query.has("run")) options.run_name = query.text("run");
  for (const std::string& label : query.texts("label")) {
    const std::size_t colon = label.find(':');  // the contract sees to it that there is one
    options.labels[label.substr(0, colon)] = label.substr(colon + 1);
  }
  ingest::ImportContext& facts = options.import_context;
  for (const auto& [name, fact] :
       {std::pair("suite", &facts.suite), std::pair("backend", &facts.backend),
        std::pair("test", &facts.test), std::pair("dtype", &facts.dtype),
        std::pair("accelerator", &facts.accelerator),
        std::pair("accelerator_model", &facts.accelerator_model)}) {
    if (query.has(name)) *fact = query.text(name);
  }
  if (query.has("timestamp")) options.timestamp = query.time("timestamp", 0);
  if (query.has("repetition")) options.dumps.repetition = query.integer("repetition");
  options.refuses_too_large = true;
  return options;
}

/// An error of a file as its sender is told it, who knows nothing of where it was kept.
Error as_told(Error error, const std::string& file) {
  error = without_folder(std::move(error), file);
  // What cannot be read as what it should be is the sender's mistake, not something that is missing
  // here.
  if (error.code == ErrorCode::kUnsupported) error.code = ErrorCode::kInvalidArgument;
  return error;
}

}  // namespace

Uploads::Uploads(std::string store_path, const UploadLimits& limits)
    : store_path_(std::move(store_path)), limits_(limits) {
  // What a server that was killed has left.
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(store_path_ + ".uploads", error)) {
    const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    const auto is_locked = schema::try_lock(file, entry.path().string());
    if (is_locked && *is_locked) std::filesystem::remove_all(entry.path(), error);
    ::close(file);
  }
}

Expected<std::string> Uploads::take(const Request& request, const Operation& operation,
                                    const Query& query, std::int64_t token) {
  const auto packing = packing_of(request.content_type);
  if (!packing) {
    return Error{ErrorCode::kMediaType,
                 "The body must come as Content-Type: application/x-ndjson, application/json, "
                 "application/octet-stream, text/plain, application/gzip or application/zstd."};
  }
  const std::string& name = query.text("name");
  BENCHHUD_TRY(check_name(name));
  if (!places_.try_acquire()) {
    return Error{ErrorCode::kBusy, "Others are sending files; try again in a moment."};
  }
  const std::unique_ptr<std::counting_semaphore<kMostAtOnce>, void (*)(decltype(places_)*)> place(
      &places_, [](auto* places) { places->release(); });
  const std::string folder = store_path_ + ".uploads";
  const bool is_drop = operation.id == "dropTrace";
  std::int64_t most = limits_.unpacked;
  if (is_drop) {
    BENCHHUD_ASSIGN(most, most_of_drop(token));
  }
  BENCHHUD_ASSIGN(const auto spooled, spool(request, *packing, folder, name, most));
  // What is large is read by one at a time, for the memory that this takes; what is small does not
  // wait for that.
  std::unique_lock large(reading_large_, std::defer_lock);
  if (spooled->byte_count() > kLargeBytes) large.lock();
  schema::LockPatience patience;
  patience.longest = limits_.patience;
  const schema::StoreTurns turns(store_path_, "taking an upload in", patience);
  return is_drop ? drop(spooled->path(), query, token, turns)
                 : ingest(spooled->path(), operation, query, turns);
}

Expected<std::int64_t> Uploads::most_of_drop(std::int64_t token) const {
  BENCHHUD_ASSIGN(auto store, schema::open_store_for_reading(store_path_));
  return service::most_bytes_of_drop(store, token, schema::now(), limits_.drops);
}

Expected<std::string> Uploads::drop(const std::string& file, const Query& query, std::int64_t token,
                                    const schema::StoreTurns& turns) {
  BENCHHUD_ASSIGN(auto store, schema::open_store_for_writing(store_path_, limits_.patience));
  const auto dropped = service::drop_trace(
      store, {.file = file, .name = query.text("name"), .token = token, .now = schema::now()},
      limits_.drops, turns);
  if (!dropped) return as_told(dropped.error(), file);
  std::string body;
  schema::JsonWriter json(&body);
  views::write_dropped_trace(json, *dropped);
  return body;
}

Expected<std::string> Uploads::ingest(const std::string& file, const Operation& operation,
                                      const Query& query, const schema::StoreTurns& turns) {
  BENCHHUD_ASSIGN(auto store, schema::open_store_for_writing(store_path_, limits_.patience));
  ingest::IngestOptions options = options_of(query);
  options.turns = turns;
  options.kept_path = store_path_ + ".uploads/" + query.text("name");
  ingest::Inputs inputs;
  if (operation.id == "uploadDump") {
    schema::Reader reader(store);
    BENCHHUD_ASSIGN(const schema::Run run, reader.find_run(query.text("run")));
    const schema::ExperimentId experiment{query.integer("experiment")};
    BENCHHUD_ASSIGN(options.dumps.result, schema::key_of_result(store, run.id, experiment));
    options.run_name.reset();
    inputs.dumps.push_back(file);
  } else {
    inputs.results.push_back(file);
  }
  BENCHHUD_ASSIGN(const service::Import imported,
                  service::import_and_find_alerts(store, inputs, std::move(options)));
  const auto& [result, alerts] = imported;
  for (const auto& one : result.files) {
    if (one.error) return as_told(*one.error, file);
  }
  for (const auto& one : result.dumps) {
    if (one.error) return as_told(*one.error, file);
  }
  // From here on the file is stored, and whoever sent it has to know.
  if (!alerts) {
    return Error{alerts.error().code,
                 "The file is stored, but the alerts were not updated (" + alerts.error().message +
                     "). The next ingest updates them, or sending the file again."};
  }
  const auto report = [&]() -> Expected<std::string> {
    schema::Reader reader(store);
    std::string body;
    schema::JsonWriter json(&body);
    views::write_ingest_report(json, result, reader, {.store = {}, .names_only = true});
    return body;
  };
  auto made = schema::caught(report);
  if (made) return made;
  return Error{made.error().code,
               "The file is stored, but what was found in it cannot be listed (" +
                   made.error().message + ")."};
}

}  // namespace benchhud::server
