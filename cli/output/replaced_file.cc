#include "cli/output/replaced_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>

namespace benchhud::cli {

using schema::Error;
using schema::Expected;

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Error cannot_write(const std::string& path) {
  return {schema::ErrorCode::kIo, path + " cannot be written"};
}

Expected<void> replace_file(const std::string& path,
                            const std::function<Expected<void>(std::FILE*)>& write) {
  const std::string temporary = fmt::format("{}.{}", path, getpid());
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(temporary.c_str(), "wbx"));
  if (!file) return cannot_write(path);
  auto done = write(file.get());
  // What is on its way may fail as late as here.
  if (std::fclose(file.release()) != 0 && done) done = cannot_write(path);
  std::error_code error;
  if (done) std::filesystem::rename(temporary, path, error);
  if (done && error) done = cannot_write(path);
  std::error_code ignored;
  if (!done) std::filesystem::remove(temporary, ignored);
  return done;
}

}  // namespace benchhud::cli
