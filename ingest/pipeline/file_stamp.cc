#include "ingest/pipeline/file_stamp.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace benchhud::ingest {

schema::Expected<schema::FileStamp> stamp_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return schema::Error{schema::ErrorCode::kIo,
                         fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  }
  constexpr std::int64_t kSecond = 1'000'000'000;
  return schema::FileStamp{status.st_size,
                           status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec};
}

}  // namespace benchhud::ingest
