#include "trace/pack/trace_pack.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "schema/db/buffered_reading.h"
#include "schema/db/table_copy.h"
#include "schema/results/unrecognized_files.h"
#include "schema/store/migrate.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Expected;
using schema::TextId;
using schema::TraceId;
using schema::Transaction;

namespace {

// Who waits for the store's lock tries again every 5 ms (Connection::set_patience()).
constexpr std::chrono::milliseconds kBetweenPieces{8};

}  // namespace

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

Expected<std::int64_t> TracePack::byte_count() {
  static constexpr std::string_view kSql =
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
  schema::Statement query = database().cached(kSql);
  const std::int64_t bytes = query.step() ? query.integer(0) : 0;
  BENCHHUD_TRY(query.status());
  return bytes;
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

/// True after the last piece. `*arriving` is made by the first one; nothing where the store has the
/// trace, or no longer has what came in.
Expected<bool> TracePack::copy_piece(Connection& store, TraceId trace,
                                     std::chrono::milliseconds longest,
                                     std::optional<ArrivingTrace>* arriving) {
  BENCHHUD_ASSIGN(auto transaction, Transaction::begin(store, Transaction::Kind::kWrite));
  const auto end = schema::TableCopy::Clock::now() + longest;
  if (*arriving) {
    BENCHHUD_TRY(check_version(store));
    BENCHHUD_ASSIGN(const bool is_there, is_arriving(store, **arriving));
    if (!is_there) arriving->reset();
  } else {
    auto row = adopt_row(store, trace);
    if (row) {
      BENCHHUD_ASSIGN(*arriving, note_arrival(store, *row));
      state_->copy.start_parts(trace);
    } else if (row.error().code != schema::ErrorCode::kConflict) {
      return std::move(row).error();
    }
  }
  if (!*arriving) return true;
  BENCHHUD_ASSIGN(const bool is_whole,
                  state_->copy.copy_parts_until(store, (*arriving)->trace, end));
  BENCHHUD_TRY(transaction.commit());
  return is_whole;
}

Expected<std::optional<ArrivingTrace>> TracePack::copy_ahead(
    Connection& store, TraceId trace, std::chrono::milliseconds longest_piece) {
  const schema::SmallWriteBuffer small(store);
  std::optional<ArrivingTrace> arriving;
  for (;;) {
    const auto is_last = copy_piece(store, trace, longest_piece, &arriving);
    if (is_last && *is_last) break;
    if (!is_last) {
      state_->copy.stop();
      // Its space may be what is wanted next. Others go on writing, or write by newer tables.
      const bool can_write = is_last.error().code != schema::ErrorCode::kBusy &&
                             is_last.error().code != schema::ErrorCode::kVersion;
      if (arriving && can_write) static_cast<void>(remove_arrival(store, *arriving));
      return is_last.error();
    }
    std::this_thread::sleep_for(kBetweenPieces);
  }
  state_->copy.stop();
  return arriving;
}

Expected<bool> TracePack::adopt_arrived(Connection& store, TraceId trace,
                                        const ArrivingTrace& arriving) {
  BENCHHUD_ASSIGN(const bool is_there, end_arrival(store, arriving));
  if (is_there) BENCHHUD_TRY(overwrite_row(store, trace, arriving.trace));
  return is_there;
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
