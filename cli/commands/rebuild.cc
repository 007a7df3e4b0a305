// benchhud rebuild: what is derived, derived again.

#include <fmt/format.h>

#include <cstdint>

#include "cli/options/commands.h"
#include "cli/options/kernel_rules_option.h"
#include "cli/options/locked_store.h"
#include "cli/options/options.h"
#include "schema/results/maintenance.h"
#include "service/alerts/alert_update.h"
#include "service/traces/trace_digest.h"
#include "trace/pack/trace_move.h"
#include "trace/trace_index.h"

namespace benchhud::cli {

using schema::Expected;

int run_rebuild(const Arguments& arguments) {
  CommandLine command;
  command.usage = "benchhud rebuild [--wait SECONDS] [--kernel-rules FILE] [--db FILE]";
  command.about =
      "Drops what the store derives from its facts (runs, results, what traces tell and are\n"
      "searched by, alerts) and derives it again.\n"
      "Nothing that was ingested is lost, and the outcome is the same unless the rules changed.";
  add_store_option(&command.options);
  add_kernel_rules_option(&command.options);
  add_wait_option(&command.options);
  const ParsedCommandLine parsed = parse(std::move(command), arguments);
  if (parsed.exit_status) return *parsed.exit_status;
  if (const auto used = use_kernel_rules(parsed.values); !used) return fail(used.error());

  auto locked = open_locked_store(parsed.values, store_path(parsed.values), "benchhud rebuild");
  if (!locked) return fail(locked.error());
  schema::Connection* const store = &locked->connection;
  if (const auto done = schema::rebuild(*store); !done) return fail(done.error());
  const auto indexed = trace::index_traces(*store, trace::ReindexScope::kAll);
  if (!indexed) return fail(indexed.error());
  // A pack that cannot be read keeps nothing else from being derived again.
  const auto moved = trace::index_moved_traces(*store, trace::ReindexScope::kAll);
  if (!moved && !trace::is_of_a_pack(moved.error())) return fail(moved.error());
  const Expected<std::int64_t> traces = service::renew_digests(*store, service::Digests::kAll);
  if (!traces && !trace::is_of_a_pack(traces.error())) return fail(traces.error());
  if (const auto update = service::update_alerts(*store); !update) return fail(update.error());
  if (!moved || !traces) {
    const schema::Error& error = moved ? traces.error() : moved.error();
    return fail({error.code, "it is rebuilt, but for traces outside the store: " + error.message});
  }
  fmt::print("rebuilt{}\n", *traces > 0 ? fmt::format(", {} traces read again", *traces) : "");
  return kDone;
}

}  // namespace benchhud::cli
