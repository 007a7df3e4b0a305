#include "trace/trace_hlo.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "schema/base/column_codec.h"
#include "schema/db/rows.h"
#include "trace/queries.h"

namespace benchhud::trace {

using schema::Connection;
using schema::Expected;
using schema::Statement;

namespace {

std::string packed_uses(const std::vector<HloModuleUse>& uses) {
  schema::ColumnWriter writer;
  for (const HloModuleUse& use : uses) {
    writer.put(static_cast<std::uint64_t>(use.module));
    writer.put_signed(use.program_id);
  }
  return writer.bytes();
}

Expected<std::vector<HloModuleUse>> unpacked_uses(
    std::string_view bytes, std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  std::vector<HloModuleUse> uses;
  schema::ColumnReader reader(bytes);
  while (reader.is_ok() && !reader.is_done()) {
    if (uses.size() >= most) {
      return schema::Error{
          schema::ErrorCode::kTooLarge,
          fmt::format("the trace has more than the {} HLO modules that are read at most", most)};
    }
    const auto module = static_cast<std::int64_t>(reader.get());
    uses.push_back({module, reader.get_signed()});
  }
  if (!reader.is_ok()) return schema::corrupt_trace("its list of HLO modules");
  return uses;
}

struct StoredUses {
  schema::TraceId trace{};
  std::vector<HloModuleUse> uses;
};

Expected<std::vector<StoredUses>> all_uses(Connection& connection) {
  std::vector<StoredUses> all;
  Statement query = connection.cached(sql::kTraceHloOfAll);
  while (query.step()) {
    BENCHHUD_ASSIGN(auto uses, unpacked_uses(query.blob(1)));
    all.push_back({schema::TraceId(query.integer(0)), std::move(uses)});
  }
  BENCHHUD_TRY(query.status());
  return all;
}

}  // namespace

std::string hlo_name(std::string_view name) {
  std::string made(name.empty() ? "_" : name);
  for (char& c : made) {
    if (!is_of_hlo_name(c)) c = '_';
  }
  return made;
}

Expected<std::int64_t> put_hlo_module(Connection& connection, std::string_view name,
                                      schema::TextId text) {
  Statement find = connection.cached(sql::kFindHloModule);
  find.bind(1, text);
  if (find.step()) return find.integer(0);
  BENCHHUD_TRY(find.status());
  Statement insert = connection.cached(sql::kInsertHloModule);
  insert.bind(1, name).bind(2, text);
  return one(insert, [](const Statement& row) { return row.integer(0); }, "HLO module");
}

Expected<void> put_trace_hlo(Connection& connection, schema::TraceId trace, const TraceHlo& hlo) {
  Statement insert = connection.cached(sql::kInsertTraceHlo);
  insert.bind(1, trace).bind(2, hlo.llo_bytes).bind_blob(3, packed_uses(hlo.modules));
  return insert.bind(4, hlo.unreadable).bind(5, hlo.left_out).run();
}

Expected<void> delete_trace_hlo(Connection& connection, schema::TraceId trace) {
  return connection.cached(sql::kDeleteTraceHlo).bind(1, trace).run();
}

Expected<void> delete_unused_hlo(Connection& connection) {
  std::set<std::int64_t> used;
  BENCHHUD_ASSIGN(const auto left, all_uses(connection));
  for (const StoredUses& stored : left) {
    for (const HloModuleUse& use : stored.uses) used.insert(use.module);
  }
  Statement query = connection.cached(sql::kHloModuleIds);
  BENCHHUD_ASSIGN(const auto modules,
                  collect(query, [](const Statement& row) { return row.integer(0); }));
  for (const std::int64_t module : modules) {
    if (used.contains(module)) continue;
    BENCHHUD_TRY(connection.cached(sql::kDeleteHloModule).bind(1, module).run());
  }
  return {};
}

Expected<void> add_trace_problems(Connection& connection, schema::TraceId trace,
                                  const Trace& found) {
  if (found.problem_count == 0) return {};
  Statement count = connection.cached(sql::kCountProblemsOfTrace);
  count.bind(1, trace);
  BENCHHUD_ASSIGN(
      auto number,
      one(count, [](const Statement& row) { return row.integer(0); }, "number of problems"));
  for (const auto& problem : found.problems) {
    if (number >= static_cast<std::int64_t>(Trace::kMostProblems)) break;
    Statement insert = connection.cached(sql::kInsertTraceProblem);
    insert.bind(1, trace).bind(2, number++).bind(3, problem.offset);
    BENCHHUD_TRY(insert.bind_text_view(4, problem.reason).run());
  }
  for (const std::string_view sql : {sql::kAddToProblemCount, sql::kAddToProblemCountsOfDumps}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).bind(2, found.problem_count).run());
  }
  return {};
}

Expected<std::optional<TraceHlo>> trace_hlo(Connection& connection, schema::TraceId trace,
                                            std::uint64_t most) {
  Statement query = connection.cached(sql::kTraceHloOfTrace);
  query.bind(1, trace);
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return std::optional<TraceHlo>();
  }
  TraceHlo hlo;
  hlo.llo_bytes = query.integer(0);
  BENCHHUD_ASSIGN(hlo.modules, unpacked_uses(query.blob(1), most));
  hlo.unreadable = query.integer(2);
  hlo.left_out = query.integer(3);
  return std::optional(std::move(hlo));
}

Expected<HloModule> hlo_module(Connection& connection, std::int64_t id) {
  Statement query = connection.cached(sql::kHloModuleById);
  query.bind(1, id);
  return one(
      query,
      [id](const Statement& row) {
        return HloModule{id, std::string(row.text(0)), schema::TextId(row.integer(1)),
                         row.integer(2)};
      },
      fmt::format("HLO module {}", id));
}

Expected<std::vector<HloProfile>> profiles_with_hlo(Connection& connection, std::int64_t module) {
  std::vector<HloProfile> profiles;
  BENCHHUD_ASSIGN(const auto all, all_uses(connection));
  for (const StoredUses& stored : all) {
    for (const HloModuleUse& use : stored.uses) {
      if (use.module == module) profiles.push_back({stored.trace, use.program_id});
    }
  }
  return profiles;
}

}  // namespace benchhud::trace
