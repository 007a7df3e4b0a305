#include "cli/output/ingest_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "cli/options/commands.h"
#include "cli/options/journal.h"
#include "cli/options/options.h"
#include "ingest/text/file_kind.h"
#include "schema/base/count_text.h"

namespace benchhud::cli {
namespace {

using ingest::DumpResult;
using ingest::FileResult;
using ingest::IngestResult;

// The first thing that is wrong; "" where nothing is.
std::string first_problem(const IngestResult& result) {
  for (const FileResult& file : result.files) {
    if (file.error) return fmt::format("{}: {}", file.path, file.error->message);
  }
  for (const DumpResult& dump : result.dumps) {
    if (dump.error) return fmt::format("{}: {}", dump.path, dump.error->message);
  }
  for (const ingest::UnreadableFolder& folder : result.unreadable_folders) {
    return folder.error.message;
  }
  for (const FileResult& file : result.files) {
    if (file.rejections.empty()) continue;
    const ingest::Rejection& first = file.rejections.front();
    return fmt::format("{}:{}: rejected: {}", file.path, first.line_number, first.reason);
  }
  for (const DumpResult& dump : result.dumps) {
    if (dump.unreadable) return fmt::format("{}: unreadable: {}", dump.path, *dump.unreadable);
  }
  return "";
}

// Whether all that failed did so because others wrote to the store, or because its place could not
// be reached: the same again may go well.
bool fails_for_now(const IngestResult& result) {
  const auto is_else = [](const auto& file) { return file.error && !passes(file.error->code); };
  return result.failed && result.unreadable_folders.empty() &&
         std::none_of(result.files.begin(), result.files.end(), is_else) &&
         std::none_of(result.dumps.begin(), result.dumps.end(), is_else);
}

}  // namespace

std::string counts_text(std::int64_t accepted, std::int64_t duplicate, std::int64_t rejected) {
  return fmt::format("{} new, {} already there, {} rejected", accepted, duplicate, rejected);
}

std::string summary_line(const IngestResult& result, std::optional<std::size_t> new_alerts) {
  std::string text = fmt::format("{}: {}", schema::count_text(result.files.size(), "file"),
                                 counts_text(result.accepted, result.duplicate, result.rejected));
  if (!result.dumps.empty()) {
    text += fmt::format("; {}: {} new, {} already there",
                        schema::count_text(result.dumps.size(), "dump"), result.new_dumps,
                        result.known_dumps);
    if (result.orphaned_dumps > 0) {
      text += fmt::format(", {} without a result", result.orphaned_dumps);
    }
    if (result.unreadable_dumps > 0) {
      text += fmt::format(", {} unreadable", result.unreadable_dumps);
    }
  }
  if (const std::int64_t count = result.unrecognized.count; count > 0) {
    text += fmt::format("; {} not recognized",
                        schema::count_text(static_cast<std::size_t>(count), "file"));
  }
  if (result.undone) text += "; undone (--strict)";
  if (new_alerts) text += fmt::format("; {}", schema::count_text(*new_alerts, "new alert"));
  const std::string problem = first_problem(result);
  return printable(problem.empty() ? text : text + "; " + problem);
}

void print_file(const FileResult& file, bool is_listed) {
  if (file.error) {
    warn("{}: {}\n", printable(file.path), printable(file.error->message));
    return;
  }
  const schema::FileReport& report = file.report;
  if (is_listed) {
    fmt::print("{}: {}{}\n", printable(file.path),
               counts_text(report.accepted, report.duplicate, report.rejected),
               file.is_known ? " (the same content as before)" : "");
  }
  if (report.in_other_run > 0) {
    warn(
        "{}: {} lines are in another run already and stay there; `benchhud runs merge` "
        "moves them\n",
        printable(file.path), report.in_other_run);
  }
  if (report.not_labelled > 0) {
    warn(
        "{}: {} lines were there already and keep their labels; `benchhud runs relabel` "
        "changes them\n",
        printable(file.path), report.not_labelled);
  }
  if (report.pruned > 0 && is_listed) {
    fmt::print("{}: {} lines were pruned and stay away; `benchhud prune --forget` lets them in\n",
               printable(file.path), report.pruned);
  }
  if (report.resolved > 0) {
    fmt::print("{}: {} lines that were rejected before are in now\n", printable(file.path),
               report.resolved);
  }
  for (const ingest::Rejection& rejection : file.rejections) {
    warn("{}:{}: rejected (byte {}): {}\n", printable(file.path), rejection.line_number,
         rejection.byte_offset, printable(rejection.reason));
  }
  const auto listed = static_cast<std::int64_t>(file.rejections.size());
  if (report.rejected > listed) {
    warn("{}: {} more rejected lines; `benchhud runs rejected` lists all\n", printable(file.path),
         report.rejected - listed);
  }
}

void print_dump(const DumpResult& dump) {
  const std::string path = printable(dump.path);
  if (dump.error) return warn("{}: {}\n", path, printable(dump.error->message));
  if (dump.unreadable) {
    return warn("{}: unreadable: {}\n", path, printable(*dump.unreadable));
  }
  if (dump.outcome == DumpResult::Outcome::kKnown) return;
  if (dump.is_orphan) warn("{}: belongs to no result that is known\n", path);
  if (dump.problem_count > 0) {
    warn("{}: {} of it could not be read\n", path, schema::count_text(dump.problem_count, "part"));
  }
}

// Only of the files whose names were kept: of the others no more than their number is known.
void warn_of_profiles(const ingest::UnrecognizedFiles& files) {
  constexpr std::int64_t kMostNamed = 3;
  std::string names;
  std::int64_t profiles = 0;
  for (const std::string& path : files.paths) {
    if (!ingest::is_xplane_name(ingest::trace_name_of(path)) || ++profiles > kMostNamed) continue;
    names += fmt::format("{}{}", profiles > 1 ? ", " : "", printable(path));
  }
  if (profiles == 0) return;
  if (profiles > kMostNamed) names += fmt::format(" and {} more", profiles - kMostNamed);
  const auto kept = static_cast<std::int64_t>(files.paths.size());
  const std::string among =
      kept < files.count ? fmt::format(" among the first {} of these files", kept) : "";
  warn(
      "{}{}: {}; no folder says of which result: ingest each by itself with --for "
      "RUN/MODEL/TEST/BACKEND\n",
      schema::count_text(profiles, "XPlane profile"), among, names);
}

void print_folders(const IngestResult& result) {
  for (const ingest::UnreadableFolder& folder : result.unreadable_folders) {
    warn("{}\n", printable(folder.error.message));
  }
  const ingest::UnrecognizedFiles& files = result.unrecognized;
  if (files.count == 0) return;
  fmt::print("{} neither results nor dumps and not in the store:\n",
             files.count == 1 ? "1 file is" : fmt::format("{} files are", files.count));
  constexpr std::size_t kMostNamed = 10;
  const std::size_t named = std::min(files.paths.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i) fmt::print("  {}\n", printable(files.paths[i]));
  const auto left = files.count - static_cast<std::int64_t>(named);
  if (left > 0) fmt::print("  and {} more\n", left);
  warn_of_profiles(files);
}

int exit_status_of(const IngestResult& result) {
  if (result.failed || result.undone) return fails_for_now(result) ? kStoreBusy : kFailed;
  return result.rejected > 0 || result.unreadable_dumps > 0 ? kSomeRejected : kDone;
}

}  // namespace benchhud::cli
