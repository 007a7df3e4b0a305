// benchhud rebuild: what is derived, derived again.

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "commands.h"
#include "locked_store.h"
#include "options.h"
#include "schema/artifact_writer.h"
#include "schema/maintenance.h"
#include "schema/reader.h"
#include "schema/text_store.h"
#include "schema/trace_index.h"
#include "schema/trace_store.h"
#include "server/alert_update.h"
#include "server/artifact_content.h"

namespace benchhud::cli {
namespace {

using schema::Expected;

// What a trace tells is kept beside it; the rules may have changed since.
Expected<std::int64_t> rebuild_digests(schema::Connection& store) {
  schema::ArtifactFilter traces;
  traces.kind = schema::ArtifactKind::kTrace;
  traces.limit = std::numeric_limits<std::size_t>::max();
  BENCHHUD_ASSIGN(const auto artifacts, schema::Reader(store).artifacts(traces));
  std::int64_t count = 0;
  for (const schema::Artifact& artifact : artifacts) {
    if (!artifact.trace) continue;
    BENCHHUD_ASSIGN(const schema::Trace trace, schema::read_trace(store, *artifact.trace));
    const schema::TraceNesting nesting = schema::nest(trace);
    const schema::PackedText digest = schema::pack_text(server::trace_digest(trace, nesting));
    const schema::TraceFindings places = server::trace_places(trace, nesting);
    BENCHHUD_ASSIGN(schema::Transaction transaction,
                    schema::Transaction::begin(store, schema::Transaction::Kind::kWrite));
    schema::TextWriter texts(store);
    BENCHHUD_ASSIGN(const schema::TextId text, texts.put(digest));
    BENCHHUD_TRY(schema::set_report(store, artifact.id, text));
    BENCHHUD_TRY(schema::put_trace_findings(store, *artifact.trace, places));
    BENCHHUD_TRY(transaction.commit());
    ++count;
  }
  return count;
}

}  // namespace

int run_rebuild(const Arguments& arguments) {
  CommandLine command;
  command.usage = "benchhud rebuild [--wait SECONDS] [--db FILE]";
  command.about =
      "Drops what the store derives from its facts (runs, results, what traces tell and are\n"
      "searched by, alerts) and derives it again.\n"
      "Nothing that was ingested is lost, and the outcome is the same unless the rules changed.";
  add_store_option(&command.options);
  add_wait_option(&command.options);
  const ParsedCommandLine parsed = parse(std::move(command), arguments);
  if (parsed.exit_status) return *parsed.exit_status;

  auto locked = open_locked_store(parsed.values, store_path(parsed.values), "benchhud rebuild");
  if (!locked) return fail(locked.error());
  schema::Connection* const store = &locked->connection;
  if (const auto done = schema::rebuild(*store); !done) return fail(done.error());
  const auto indexed = schema::index_traces(*store, schema::Unindexed::kAndOthers);
  if (!indexed) return fail(indexed.error());
  const Expected<std::int64_t> traces = rebuild_digests(*store);
  if (!traces) return fail(traces.error());
  if (const auto update = server::update_alerts(*store); !update) return fail(update.error());
  fmt::print("rebuilt{}\n", *traces > 0 ? fmt::format(", {} traces read again", *traces) : "");
  return kDone;
}

}  // namespace benchhud::cli
