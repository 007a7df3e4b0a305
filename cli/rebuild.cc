// benchhud rebuild: what is derived, derived again.

#include <fmt/format.h>

#include "commands.h"
#include "options.h"
#include "schema/maintenance.h"
#include "schema/store.h"

namespace benchhud::cli {

int run_rebuild(const Arguments& arguments) {
  CommandLine command;
  command.usage = "benchhud rebuild [--db FILE]";
  command.about =
      "Drops what the store derives from its facts (runs, results) and derives it again.\n"
      "Nothing that was ingested is lost, and the outcome is the same unless the rules changed.";
  add_store_option(&command.options);
  const ParsedCommandLine parsed = parse(std::move(command), arguments);
  if (parsed.exit_status) return *parsed.exit_status;

  auto store = schema::open_store(store_path(parsed.values));
  if (!store) return fail(store.error());
  if (const auto done = schema::rebuild(*store); !done) return fail(done.error());
  fmt::print("rebuilt\n");
  return kDone;
}

}  // namespace benchhud::cli
