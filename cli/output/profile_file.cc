#include "cli/output/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "cli/options/text_file.h"
#include "ingest/pipeline/trace_file.h"
#include "ingest/profiles/dump_text.h"
#include "ingest/text/file_kind.h"
#include "ingest/text/source_file.h"
#include "ingest/torch_trace/torch_trace_reader.h"
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
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

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

// None of a file that does not begin as a log does.
Expected<std::optional<ProfileFile>> read_log(const std::string& path) {
  BENCHHUD_ASSIGN(ingest::SourceFile source, ingest::SourceFile::open(path));
  CompilationLogFile file;
  ingest::TorchTraceOptions options;
  std::map<std::string, schema::TextId> kept;
  options.keep_text = [&](std::string_view text) -> std::optional<schema::TextId> {
    const schema::TextId next{static_cast<std::int64_t>(kept.size())};
    return kept.try_emplace(std::string(text), next).first->second;
  };
  ingest::TorchTraceReader reader(std::move(options));
  std::string piece, damage;
  for (bool is_first = true;; is_first = false) {
    piece.clear();
    const Expected<std::size_t> count = source.read(kPieceBytes, &piece);
    if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
    if (!count) damage = count.error().message;
    if (is_first && !ingest::is_torch_trace(piece)) return std::optional<ProfileFile>();
    reader.feed(piece);
    if (!count || *count == 0) break;
  }
  schema::TorchTraceLog log = reader.finish(damage);
  file.texts.resize(kept.size());
  while (!kept.empty()) {
    auto node = kept.extract(kept.begin());
    file.texts[static_cast<std::size_t>(to_int(node.mapped()))] = std::move(node.key());
  }
  file.log.damaged_payloads = log.damaged_payloads;
  file.log.unreadable_lines = log.unreadable_lines;
  file.log.omitted = log.omitted;
  for (schema::Compilation& one : log.compilations) {
    const auto ordinal = static_cast<std::int64_t>(file.log.compilations.size());
    file.log.compilations.push_back({{ordinal, std::move(one)}, {}});
  }
  for (std::size_t i = 0; i < log.outputs.size(); ++i) {
    const auto place = log.outputs[i].compilation;
    if (!place) continue;
    file.log.compilations.at(static_cast<std::size_t>(*place))
        .outputs.push_back({static_cast<std::int64_t>(i), std::move(log.outputs[i])});
  }
  auto sections = analysis::profile_sections(file.log);
  auto problems = sentences(log.problems);
  for (std::string& problem : analysis::profile_problems(file.log)) {
    problems.push_back(std::move(problem));
  }
  return std::optional(
      ProfileFile{std::string(ingest::dump_kind_words(schema::ArtifactKind::kTorchTrace)),
                  std::move(sections), std::move(problems), std::move(file)});
}

}  // namespace

Expected<analysis::CompilationDiff> compare_logs(const CompilationLogFile& before,
                                                 CompilationLogFile after) {
  // A text of one log is none of the other's: theirs count on behind these.
  const auto first = static_cast<std::int64_t>(before.texts.size());
  for (analysis::LoggedCompilation& one : after.log.compilations) {
    for (schema::StoredOutput& stored : one.outputs) {
      auto& text = stored.output.text;
      if (text) text = schema::TextId{to_int(*text) + first};
    }
  }
  return analysis::compare_compilations(
      before.log, after.log, [&](schema::TextId id) -> Expected<std::string> {
        const std::int64_t at = to_int(id);
        return at < first ? before.texts.at(static_cast<std::size_t>(at))
                          : after.texts.at(static_cast<std::size_t>(at - first));
      });
}

Expected<ProfileFile> read_profile_file(const std::string& path) {
  BENCHHUD_ASSIGN(const bool is_packed, ingest::is_pack_file(path));
  BENCHHUD_ASSIGN(const bool is_xplane, ingest::is_xplane_file(path));
  if (is_packed || is_xplane) {
    BENCHHUD_ASSIGN(const trace::Trace read, ingest::read_trace_file(path));
    return ProfileFile{"trace", profile_sections(read), sentences(read.problems)};
  }
  BENCHHUD_ASSIGN(auto log, read_log(path));
  if (log) return *std::move(log);
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
