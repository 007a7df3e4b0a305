// benchhud backup: a copy of the store, made while it is in use.

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/runs_text.h"
#include "schema/base/count_text.h"
#include "schema/base/time.h"
#include "schema/store/store.h"
#include "schema/store/store_backup.h"
#include "trace/pack/moved_trace.h"

namespace benchhud::cli {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

CommandLine backup_command_line() {
  CommandLine command;
  command.usage = "benchhud backup TO [--keep N] [--db FILE]";
  command.about =
      "Copies the store, as it is at one moment, to the file TO, which must not be there yet, or\n"
      "into the folder TO under a name with the time. Whoever reads and writes the store goes on.\n"
      "The copy is looked through before it gets its name.";
  add_store_option(&command.options);
  command.options.add_options()("keep",
                                boost::program_options::value<std::int64_t>()->value_name("N"),
                                "of the copies in the folder, leave the newest N");
  add_words(&command);
  return command;
}

/// What is not in the copy.
Expected<void> print_moved_traces(const std::string& copy) {
  auto store = schema::open_store_for_reading(copy);
  // A store may be copied before it is brought to this program's version.
  if (!store && store.error().code == ErrorCode::kVersion) return {};
  if (!store) return store.error();
  BENCHHUD_ASSIGN(const trace::TraceCounts counts, trace::count_traces(*store));
  if (counts.moved == 0) return {};
  BENCHHUD_ASSIGN(const auto place, trace::trace_place(*store));
  fmt::print("not in it: {} in {}, {}, which need a backup of their own\n",
             schema::count_text(counts.moved, "trace"),
             place ? printable(place->address) : "a place that the store does not name",
             schema::megabytes_text(counts.moved_bytes));
  return {};
}

Expected<void> back_up(const std::string& store, const std::string& to, std::size_t keep) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(to, error);
  if (keep > 0 && !is_folder) {
    return Error{ErrorCode::kInvalidArgument,
                 "--keep is for a folder of copies, and " + to + " is none"};
  }
  BENCHHUD_ASSIGN(const schema::StoreCopy copy,
                  is_folder ? schema::copy_store_into(store, to, schema::now())
                            : schema::copy_store(store, to));
  fmt::print("{}: {}, {}, undamaged\n", printable(copy.path), schema::megabytes_text(copy.bytes),
             runs_text(copy));
  BENCHHUD_TRY(print_moved_traces(copy.path));
  if (keep == 0) return {};
  BENCHHUD_ASSIGN(const auto deleted, schema::delete_old_backups(to, store, keep));
  for (const std::string& old : deleted) fmt::print("{}: deleted\n", printable(old));
  return {};
}

}  // namespace

int run_backup(const Arguments& arguments) {
  const ParsedCommandLine parsed = parse(backup_command_line(), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const Arguments words = words_of(parsed.values);
  if (words.size() != 1) {
    return fail(Error{ErrorCode::kInvalidArgument, "`benchhud backup` takes one file or folder"});
  }
  const bool keeps_some = parsed.values.contains("keep");
  const std::int64_t keep = keeps_some ? parsed.values["keep"].as<std::int64_t>() : 0;
  if (keeps_some && keep < 1) {
    return fail(Error{ErrorCode::kInvalidArgument, "--keep must be at least 1"});
  }
  const auto done = back_up(store_path(parsed.values), words[0], static_cast<std::size_t>(keep));
  return done ? kDone : fail(done.error());
}

}  // namespace benchhud::cli
