// benchhud restore: the store as a copy has it.

#include <fmt/format.h>

#include "cli/options/commands.h"
#include "cli/options/locked_store.h"
#include "cli/options/options.h"
#include "cli/output/runs_text.h"
#include "schema/store/store_backup.h"

namespace benchhud::cli {

int run_restore(const Arguments& arguments) {
  namespace po = boost::program_options;
  CommandLine command;
  command.usage =
      "benchhud restore COPY [--replace] [--accept-pages] [--wait SECONDS] [--db FILE] |\n"
      "       benchhud restore --accept-pages [--wait SECONDS] [--db FILE]";
  command.about =
      "Makes the store of a copy that `benchhud backup` made. The copy stays as it is; it is "
      "looked\n"
      "through and brought up to date before the store has its name.\n\n"
      "--accept-pages is for a store or copy that another program, such as sqlite3, has written "
      "to.\n"
      "It takes pages that are not what benchhud wrote as they are, but only if every page, row,\n"
      "index entry and text is in order. Without COPY it makes the store of itself. What was "
      "there\n"
      "is kept under another name. `benchhud doctor` says when this helps.";
  add_store_option(&command.options);
  command.options.add_options()("replace", po::bool_switch(),
                                "rename the store that is there, which nobody may have open")(
      "accept-pages", po::bool_switch(), "take pages that another program wrote as they are");
  add_wait_option(&command.options);
  add_words(&command);
  const ParsedCommandLine parsed = parse(std::move(command), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  const Arguments words = words_of(parsed.values);
  schema::RestoreOptions options;
  options.accepts_pages = parsed.values["accept-pages"].as<bool>();
  const bool is_of_itself = words.empty() && options.accepts_pages;
  if (words.size() != 1 && !is_of_itself) {
    return fail({schema::ErrorCode::kInvalidArgument, "`benchhud restore` takes one copy"});
  }
  options.replaces = parsed.values["replace"].as<bool>() || is_of_itself;
  const std::string store = store_path(parsed.values);
  const auto lock = lock_store(parsed.values, store, "benchhud restore");
  if (!lock) return fail(lock.error());
  const auto restored = schema::restore_store(is_of_itself ? store : words[0], store, options);
  if (!restored) return fail(restored.error());
  const auto& copy = restored->copy;
  if (!restored->set_aside.empty()) {
    fmt::print("what was there is now {}\n", printable(restored->set_aside));
  }
  fmt::print("{}: {}\n", printable(copy.path), runs_text(copy));
  return kDone;
}

}  // namespace benchhud::cli
