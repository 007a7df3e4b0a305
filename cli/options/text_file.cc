#include "cli/options/text_file.h"

#include <fmt/format.h>

#include "ingest/text/source_file.h"

namespace benchhud::cli {

schema::Expected<std::string> read_text_file(const std::string& path, std::size_t most) {
  BENCHHUD_ASSIGN(ingest::SourceFile file, ingest::SourceFile::open(path));
  std::string text;
  for (;;) {
    BENCHHUD_ASSIGN(const std::size_t count, file.read(1 << 20, &text));
    if (text.size() > most) {
      return schema::Error{schema::ErrorCode::kTooLarge,
                           fmt::format("{} is longer than {} bytes", path, most)};
    }
    if (count == 0) return text;
  }
}

}  // namespace benchhud::cli
