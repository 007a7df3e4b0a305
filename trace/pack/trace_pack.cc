#include "trace/pack/trace_pack.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/db/table_copy.h"
#include "schema/results/unrecognized_files.h"
#include "schema/store/migrate.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Expected;
using schema::TextId;
using schema::TraceId;

Expected<TracePack> TracePack::make(Connection& store) {
  BENCHHUD_ASSIGN(const std::string file, schema::store_file(store));
  BENCHHUD_ASSIGN(auto database, Connection::open_scratch(file));
  BENCHHUD_ASSIGN(const int version, schema::schema_version_of(store));
  // Nobody else ever reads it, so its one transaction never ends.
  BENCHHUD_TRY(database.execute("BEGIN"));
  BENCHHUD_TRY(schema::make_tables_like(store, database, kTablesOfATrace));
  BENCHHUD_ASSIGN(auto copy, TraceCopy::make(database));
  auto state = std::make_unique<State>(State{std::move(database), version, std::move(copy)});
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
  for (const std::string_view table : kTablesOfATrace)
    script += fmt::format("DELETE FROM {};", table);
  return database().execute(script);
}

Expected<void> TracePack::check_version(Connection& store) const {
  BENCHHUD_ASSIGN(const int version, schema::schema_version_of(store));
  if (version != state_->version) {
    return schema::Error{schema::ErrorCode::kVersion,
                         "the store was brought to another version while the trace was read"};
  }
  return {};
}

Expected<TraceId> TracePack::adopt(Connection& store, TraceId trace) {
  BENCHHUD_TRY(check_version(store));
  return state_->copy.run(store, trace);
}

Expected<TraceId> TracePack::adopt_row(Connection& store, TraceId trace) {
  BENCHHUD_TRY(check_version(store));
  return state_->copy.run_row(store, trace);
}

Expected<void> TracePack::adopt_parts(Connection& store, TraceId trace, TraceId adopted) {
  BENCHHUD_TRY(check_version(store));
  return state_->copy.run_parts(store, trace, adopted);
}

Expected<void> TracePack::overwrite_row(Connection& store, TraceId trace, TraceId over) {
  BENCHHUD_TRY(check_version(store));
  return state_->copy.overwrite_row(store, trace, over);
}

Expected<TextId> TracePack::adopt_text(Connection& store, TextId text) {
  return copy_text(database(), store, text);
}

Expected<TraceHlo> TracePack::adopt_hlo(Connection& store, TraceHlo hlo) {
  return copy_hlo(database(), store, std::move(hlo));
}

}  // namespace benchhud::trace
