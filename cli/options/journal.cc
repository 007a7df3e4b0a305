#include "cli/options/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace benchhud::cli {

std::string_view journal_mark(Urgency urgency) {
  // systemd.exec(5): JOURNAL_STREAM has the device and the inode of the stream that is the journal.
  static const bool is_journal = [] {
    const char* const stream = std::getenv("JOURNAL_STREAM");
    struct stat status{};
    return stream != nullptr && fstat(STDERR_FILENO, &status) == 0 &&
           fmt::format("{}:{}", status.st_dev, status.st_ino) == stream;
  }();
  if (!is_journal) return "";
  return urgency == Urgency::kError ? "<3>" : "<4>";
}

}  // namespace benchhud::cli
