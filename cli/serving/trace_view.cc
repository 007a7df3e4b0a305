#include "cli/serving/trace_view.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/options/options.h"
#include "cli/options/stop_signal.h"
#include "cli/serving/serving.h"
#include "ingest/pipeline/dump_ingest.h"
#include "schema/base/count_text.h"
#include "schema/results/reader.h"
#include "schema/store/store.h"
#include "service/imports/importer.h"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace benchhud::cli {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

/// A folder that nobody else can look into, and that goes with this.
class TemporaryFolder {
 public:
  static Expected<TemporaryFolder> make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "benchhud-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) {
      return Error{ErrorCode::kIo, "cannot make a folder for temporary files"};
    }
    return TemporaryFolder(std::move(path));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() { remove(); }
  /// Also while another thread makes files in it: under another name it gets no new ones.
  void remove() const {
    constexpr int kTries = 3;
    std::error_code error;
    for (int i = 0; i < kTries && !path_.empty() && std::filesystem::exists(path_, error); ++i) {
      const std::string gone = path_ + ".gone";
      std::filesystem::rename(path_, gone, error);
      std::filesystem::remove_all(error ? path_ : gone, error);
    }
  }
  std::string file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Expected<schema::TraceId> import_file(schema::Connection& store, const std::string& file) {
  BENCHHUD_ASSIGN(const service::ImportedTrace imported, service::import_trace(store, file));
  if (imported.problem_count > 0) {
    fmt::print(stderr, "{}: {} of it could not be read\n", printable(file),
               schema::count_text(imported.problem_count, "part"));
  }
  return imported.trace;
}

void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open", argument = address;
  std::array<char*, 3> words = {program.data(), argument.data(), nullptr};
  // A browser outlives this program, and is stopped by what this one holds back.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  // Where there is none, the address has been printed.
  (void)posix_spawnp(&child, program.c_str(), nullptr, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
}

}  // namespace

Expected<void> view_traces(const ViewRequest& request) {
  hold_stop_signals();
  BENCHHUD_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string path = folder.file("view.db");
  std::vector<std::int64_t> ids;
  {
    // A trace of gigabytes takes a while, and there is nothing yet to be ended in order.
    const StopWhileWorking stop([&folder] { folder.remove(); });
    BENCHHUD_ASSIGN(schema::Connection store, schema::open_store(path));
    for (const std::string& file : request.files) {
      BENCHHUD_ASSIGN(const schema::TraceId id, import_file(store, file));
      ids.push_back(to_int(id));
    }
  }
  std::string page = fmt::format("trace/{}", ids.front());
  if (ids.size() > 1) page += fmt::format("?with={}", ids.back());
  ServeRequest serving;
  serving.store_path = path;
  serving.listen = request.listen;
  serving.clean_up = [&folder] { folder.remove(); };
  BENCHHUD_TRY(serve_store(serving, [&](const ServedAt& where) {
    fmt::print("{}{}\n", where.pages, page);
    if (!where.sign_in.empty()) fmt::print("notes can be made after {}\n", where.sign_in);
    std::fflush(stdout);
    if (request.opens_browser) open_browser(where.pages + page);
  }));
  return {};
}

}  // namespace benchhud::cli
