#include "trace/pack/trace_pack.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schema/db/text_store.h"
#include "schema/results/unrecognized_files.h"
#include "schema/store/migrate.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Expected;
using schema::TextId;
using schema::TraceId;

namespace {

constexpr std::string_view kTrace = "trace";
// Texts and modules are kept once for all traces of a store; what follows the trace is kept of it,
// and nothing else refers to that. Tests compare it with the store's tables.
constexpr std::array<std::string_view, 21> kTables = {
    "text",
    "hlo_module",
    kTrace,
    "trace_problem",
    "trace_thread",
    "trace_block",
    "trace_chunk",
    "trace_group",
    "trace_index",
    "trace_track",
    "trace_label_sums",
    "trace_sums",
    "trace_posting",
    "trace_counter",
    "trace_counter_block",
    "trace_flow_kind",
    "trace_finding",
    "trace_device",
    "trace_finding_kind",
    "trace_finding_block",
    "trace_device_block",
};
constexpr auto kParts = std::span(kTables).subspan<3>();

}  // namespace

Expected<TracePack> TracePack::make(Connection& store) {
  BENCHHUD_ASSIGN(const std::string file, schema::store_file(store));
  BENCHHUD_ASSIGN(auto database, Connection::open_scratch(file));
  BENCHHUD_ASSIGN(const int version, schema::schema_version_of(store));
  auto state = std::make_unique<State>(State{std::move(database), version, {}, {}});
  // Nobody else ever reads it, so its one transaction never ends.
  BENCHHUD_TRY(state->database.execute("BEGIN"));
  BENCHHUD_TRY(schema::make_tables_like(store, state->database, kTables));
  BENCHHUD_ASSIGN(state->trace, schema::TableCopy::make(state->database, kTrace, "id"));
  for (const std::string_view part : kParts) {
    BENCHHUD_ASSIGN(auto copy, schema::TableCopy::make(state->database, part, "trace_id"));
    state->parts.push_back(std::move(copy));
  }
  return TracePack(std::move(state));
}

Expected<bool> TracePack::is_small() {
  constexpr std::int64_t kSmall = 4 << 20;
  static constexpr std::string_view kSql =
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
  schema::Statement query = database().cached(kSql);
  const bool is_small = query.step() && query.integer(0) <= kSmall;
  BENCHHUD_TRY(query.status());
  return is_small;
}

Expected<void> TracePack::clear() {
  std::string script;
  for (const std::string_view table : kTables) script += fmt::format("DELETE FROM {};", table);
  return database().execute(script);
}

Expected<TraceId> TracePack::adopt(Connection& store, TraceId trace) {
  BENCHHUD_ASSIGN(const int version, schema::schema_version_of(store));
  if (version != state_->version) {
    return schema::Error{schema::ErrorCode::kVersion,
                         "the store was brought to another version while the trace was read"};
  }
  const std::int64_t number = schema::to_int(trace);
  BENCHHUD_TRY(state_->trace.run(store, number, number));
  const std::int64_t adopted = store.last_insert_id();
  for (schema::TableCopy& part : state_->parts) BENCHHUD_TRY(part.run(store, number, adopted));
  return TraceId(adopted);
}

Expected<TextId> TracePack::adopt_text(Connection& store, TextId text) {
  BENCHHUD_ASSIGN(const schema::PackedText packed, schema::packed_text(database(), text));
  schema::TextWriter texts(store);
  return texts.put(packed);
}

Expected<TraceHlo> TracePack::adopt_hlo(Connection& store, TraceHlo hlo) {
  for (HloModuleUse& use : hlo.modules) {
    BENCHHUD_ASSIGN(const HloModule module, hlo_module(database(), use.module));
    BENCHHUD_ASSIGN(const TextId text, adopt_text(store, module.text));
    BENCHHUD_ASSIGN(use.module, put_hlo_module(store, module.name, text));
  }
  return hlo;
}

}  // namespace benchhud::trace
