#include "cli/output/profile_file.h"

#include <fmt/format.h>

#include <variant>

#include "cli/options/text_file.h"
#include "ingest/profiles/dump_text.h"
#include "ingest/text/file_kind.h"
#include "ingest/trace/trace_reader.h"
#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_trace.h"

namespace benchhud::cli {

using analysis::profile_sections;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

// Tables, reports and counters are texts of kilobytes, IR with its constants one of megabytes;
// traces are read piece by piece.
constexpr std::size_t kLongestText = std::size_t{256} << 20;

Expected<std::string> read_text(const std::string& path) {
  auto text = read_text_file(path, kLongestText);
  if (!text && text.error().code == ErrorCode::kTooLarge) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} is no trace, and longer than {} MB", path, kLongestText >> 20)};
  }
  return text;
}

std::vector<std::string> sentences(const std::vector<schema::DumpProblem>& problems) {
  std::vector<std::string> found;
  found.reserve(problems.size());
  for (const schema::DumpProblem& problem : problems) {
    found.push_back(fmt::format("line {}: {}", problem.line, problem.reason));
  }
  return found;
}

std::vector<std::string> sentences(const std::vector<trace::TraceProblem>& problems) {
  std::vector<std::string> found;
  found.reserve(problems.size());
  for (const trace::TraceProblem& problem : problems) {
    found.push_back(fmt::format("byte {}: {}", problem.offset + 1, problem.reason));
  }
  return found;
}

ProfileFile of_text(const ingest::DumpText& read) {
  return {std::string(ingest::dump_kind_words(read.kind())),
          std::visit([](const auto& content) { return profile_sections(content); }, read.content),
          sentences(read.problems)};
}

}  // namespace

Expected<ProfileFile> read_profile_file(const std::string& path) {
  BENCHHUD_ASSIGN(const bool is_xplane, ingest::is_xplane_file(path));
  if (is_xplane) {
    BENCHHUD_ASSIGN(const trace::Trace read, ingest::read_xplane_file(path));
    return ProfileFile{"trace", profile_sections(read), sentences(read.problems)};
  }
  Expected<trace::Trace> trace = ingest::read_trace(path);
  if (!trace && trace.error().code != ErrorCode::kUnsupported) return trace.error();
  // "[ScheduleSyncTensorsGraph]" begins like a list of events, too.
  if (!trace || trace->events == 0) {
    BENCHHUD_ASSIGN(const std::string text, read_text(path));
    const Expected<ingest::DumpText> read = ingest::read_dump_text(text);
    if (read) return of_text(*read);
    if (const auto container = ingest::unread_container(text)) {
      return Error{ErrorCode::kUnsupported, fmt::format("{} is {}", path, *container)};
    }
    if (!trace) {
      return Error{read.error().code,
                   fmt::format("{} is no trace and {}", path, read.error().message)};
    }
  }
  return ProfileFile{"trace", profile_sections(*trace), sentences(trace->problems)};
}

}  // namespace benchhud::cli
