#include "service/imports/importer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "schema/results/reader.h"
#include "schema/store/store_lock.h"
#include "service/maintenance/trace_moves.h"
#include "service/traces/trace_digest.h"

namespace benchhud::service {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

// So that one ingest does not make up for a `benchhud traces move` that was stopped half way.
constexpr std::int64_t kMostMoved = 100;

}  // namespace

Expected<ingest::IngestResult> import_files(schema::Connection& store, const ingest::Inputs& inputs,
                                            ingest::IngestOptions options) {
  options.dumps.trace_summary = summarize_trace;
  return ingest::ingest_files(store, inputs, options);
}

Expected<Import> import_and_find_alerts(schema::Connection& store, const ingest::Inputs& inputs,
                                        ingest::IngestOptions options) {
  const auto turns = options.turns;
  BENCHHUD_ASSIGN(auto files, import_files(store, inputs, std::move(options)));
  if (turns) {
    // Where one cannot be moved now, it stays in the store, and is tried again next time.
    [[maybe_unused]] const auto moved = move_rest_out(store, &*turns, kMostMoved);
  }
  std::optional<schema::StoreLock> turn;
  if (turns) {
    auto taken = turns->take(store);
    if (!taken) return Import{std::move(files), std::move(taken).error()};
    turn.emplace(*std::move(taken));
  }
  return Import{std::move(files), update_alerts(store)};
}

Expected<ImportedTrace> import_trace(schema::Connection& store, const std::string& file) {
  ingest::DumpOptions options;
  options.trace_summary = summarize_trace;
  options.joins_sessions = false;
  ingest::DumpIngest dumps(store, std::move(options));
  BENCHHUD_ASSIGN(auto prepared, dumps.prepare(file));
  BENCHHUD_ASSIGN(auto transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kWrite));
  BENCHHUD_ASSIGN(const ingest::DumpResult dump, dumps.put(std::move(prepared)));
  if (dump.error) return *dump.error;
  BENCHHUD_ASSIGN(const schema::Artifact artifact, schema::Reader(store).artifact(dump.id));
  if (!artifact.trace) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} is no trace: {}", file,
                             dump.unreadable.value_or("there is no list of events in it"))};
  }
  BENCHHUD_TRY(transaction.commit());
  return ImportedTrace{*artifact.trace, dump.problem_count};
}

}  // namespace benchhud::service
