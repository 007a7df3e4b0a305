#include "cli/options/line_source.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/options/options.h"
#include "ingest/output/output_dir.h"
#include "ingest/results/results_format.h"
#include "ingest/text/source_file.h"
#include "ingest/text/text_parts.h"

namespace benchhud::cli {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr int kMostWarnings = 20;

class LineReader {
 public:
  LineReader(BadLines bad_lines, const std::function<void(const ingest::ResultsLine&)>& visit)
      : bad_lines_(bad_lines), visit_(visit) {}

  Expected<void> read(const std::string& path) {
    path_ = path;
    fallback_timestamp_ = ingest::date_in_name(path);
    if (const auto format = ingest::results_format_of(path);
        !format && format.error().code == ErrorCode::kUnsupported) {
      return Error{ErrorCode::kUnsupported, fmt::format("{}: {}", path, format.error().message)};
    }
    BENCHHUD_ASSIGN(ingest::SourceFile file, ingest::SourceFile::open(path));
    ingest::ChunkReader chunks(std::move(file));
    ingest::Chunk chunk;
    while (true) {
      BENCHHUD_ASSIGN(const bool is_there, chunks.next(&chunk));
      if (!is_there) break;
      BENCHHUD_TRY(read(chunk));
    }
    if (!chunks.damage().empty()) {
      return Error{ErrorCode::kCorrupt, fmt::format("{}: {}", path, chunks.damage())};
    }
    return {};
  }

  int warning_count() const { return warning_count_; }

 private:
  Expected<void> read(const ingest::Chunk& chunk) {
    if (chunk.overlong_bytes > 0) {
      return refuse(chunk.first_line,
                    fmt::format("the line is longer than {} bytes", ingest::kLongestLine));
    }
    std::string_view rest = chunk.text;
    for (std::int64_t number = chunk.first_line; !rest.empty(); ++number) {
      BENCHHUD_TRY(read(ingest::next_line(&rest), number));
    }
    return {};
  }

  Expected<void> read(std::string_view text, std::int64_t number) {
    if (text.find_first_not_of(" \t\r") == text.npos) return {};
    if (const auto reason = parser_.parse(text, &line_)) return refuse(number, *reason);
    if (!line_.timestamp) line_.timestamp = fallback_timestamp_;
    if (!line_.timestamp)
      return refuse(number, "timestamp is missing, and the file's name has no date");
    visit_(line_);
    return {};
  }

  Expected<void> refuse(std::int64_t number, const std::string& reason) {
    std::string message = fmt::format("{}:{}: {}", path_, number, reason);
    if (bad_lines_ == BadLines::kStop)
      return Error{ErrorCode::kInvalidArgument, std::move(message)};
    if (bad_lines_ == BadLines::kSkip) return {};
    if (warning_count_++ < kMostWarnings) {
      fmt::print(stderr, "benchhud: {}\n", printable(message));
    }
    return {};
  }

  BadLines bad_lines_;
  const std::function<void(const ingest::ResultsLine&)>& visit_;
  ingest::ResultsLineParser parser_;
  ingest::ResultsLine line_;
  std::string path_;
  std::optional<double> fallback_timestamp_;
  int warning_count_ = 0;
};

}  // namespace

Expected<void> read_lines(const std::vector<std::string>& paths, BadLines bad_lines,
                          const std::function<void(const ingest::ResultsLine&)>& visit) {
  LineReader reader(bad_lines, visit);
  for (const std::string& path : paths) BENCHHUD_TRY(reader.read(path));
  if (reader.warning_count() > kMostWarnings) {
    fmt::print(stderr, "benchhud: {} more lines could not be read\n",
               reader.warning_count() - kMostWarnings);
  }
  return {};
}

}  // namespace benchhud::cli
