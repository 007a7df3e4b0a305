// SQL over a stored trace: the tables against what is stored, and what may not be asked.

#include "trace/answers/trace_sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unit/trace/trace_samples.h"

namespace benchhud::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Sql : public testing::Test {
 protected:
  Sql() : connection_(trace_store()) {
    std::mt19937 random(1);
    packed_.put("{}");
    std::int64_t time = 1000;
    for (int i = 0; i < 12'000; ++i) {
      time += random() % 20;
      add_slice(&trace_, random() % 2, time, time + random() % 30,
                "name " + std::to_string(random() % 5));
      TraceArgs args;
      args.correlation = i;
      args.packed = packed_.put("{\"i\": " + std::to_string(i) + ", \"t\": \"x\", \"f\": 0.5}");
      trace_.slices[trace_.slices.size() - 1].args = trace_.args.put(args);
    }
    TraceArgs counted;
    counted.packed = packed_.put(R"({"used": 7})");
    trace_.points.push_back({1500, 1, 0, 0, trace_.args.put(counted), 'C'});
    trace_.flows.push_back(
        {.time = 1100, .key = 1, .category = 0, .thread = 0, .step = TraceFlow::Step::kStart});
    trace_.flows.push_back(
        {.time = 1200, .key = 1, .category = 0, .thread = 1, .step = TraceFlow::Step::kEnd});
    id_ = put(connection_, trace_, &packed_);
    nesting_ = nest(trace_, NestingRows::kYes);
    origin_ = std::min_element(trace_.slices.begin(), trace_.slices.end(),
                               [](const auto& a, const auto& b) { return a.start < b.start; })
                  ->start;
  }

  struct Answer {
    std::vector<std::vector<SqlValue>> rows;
    SqlOutcome outcome;
  };
  using ClassOf = std::function<std::string_view(const LabelText&)>;
  Answer ask(
      const std::string& sql, SqlLimits limits = {},
      const ClassOf& class_of = [](const auto&) { return "class"; }) {
    Answer answer;
    auto query = TraceSql::prepare(connection_, id_, sql, class_of);
    EXPECT_TRUE(query) << sql << ": " << query.error().message;
    if (!query) return answer;
    answer.outcome = query->run(limits, [&](const std::vector<SqlValue>& row) {
      answer.rows.push_back(row);
      return true;
    });
    return answer;
  }
  std::int64_t number(const std::string& sql) {
    // As long as a machine that checks memory at every step may take.
    const Answer answer = ask(sql, {.time = std::chrono::minutes(2)});
    EXPECT_EQ(answer.outcome.error, std::nullopt) << sql;
    if (answer.rows.size() != 1 || !std::holds_alternative<std::int64_t>(answer.rows[0][0])) {
      ADD_FAILURE() << sql;
      return -1;
    }
    return std::get<std::int64_t>(answer.rows[0][0]);
  }
  std::string refusal(const std::string& sql) {
    const auto query =
        TraceSql::prepare(connection_, id_, sql, [](const auto&) { return "class"; });
    return query ? "allowed" : query.error().message;
  }
  template <class Wanted>
  std::int64_t count(Wanted wanted) {
    std::int64_t found = 0;
    for (std::uint32_t i = 0; i < trace_.slices.size(); ++i) found += wanted(trace_.slices[i], i);
    return found;
  }

  schema::Connection connection_;
  Trace trace_;
  TraceNesting nesting_;
  PackedArgs packed_;
  schema::TraceId id_{};
  std::int64_t origin_ = 0;
};

TEST_F(Sql, SlicesAreAllThereWhateverIsAskedOfThem) {
  EXPECT_EQ(number("SELECT count(*) FROM slices"), 12'000);
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE track = 1"),
            count([](const TraceSlice& s, auto) { return s.thread == 1; }));
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE name = 'name 3'"),
            count([&](const TraceSlice& s, auto) { return trace_.name(s) == "name 3"; }));
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE name = 'name 3' AND track = 0"),
            count([&](const TraceSlice& s, auto) {
              return trace_.name(s) == "name 3" && s.thread == 0;
            }));
  // Both sides of an OR are found by themselves, and what both find counts once.
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE name = 'name 3' OR track = 1"),
            count([&](const TraceSlice& s, auto) {
              return trace_.name(s) == "name 3" || s.thread == 1;
            }));
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE begin < 5000 OR begin > 9000"),
            count([&](const TraceSlice& s, auto) {
              return s.start - origin_ < 5000 || s.start - origin_ > 9000;
            }));
  EXPECT_EQ(number("SELECT count(*) FROM args WHERE slice_id = 0 OR slice_id = 1"), 6);
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE name = 'NAME 3' COLLATE NOCASE"),
            count([&](const TraceSlice& s, auto) { return trace_.name(s) == "name 3"; }));
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE name = 'NAME 3'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE begin >= 5000 AND begin < 9000.5"),
            count([&](const TraceSlice& s, auto) {
              return s.start - origin_ >= 5000 && s.start - origin_ <= 9000;
            }));
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE \"end\" > 7000 AND begin <= 7000"),
            count([&](const TraceSlice& s, auto) {
              return s.end() - origin_ > 7000 && s.start - origin_ <= 7000;
            }));
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE row = 1"),
            count([&](const TraceSlice&, std::uint32_t i) { return nesting_.row[i] == 1; }));
  EXPECT_EQ(number("SELECT sum(duration) FROM slices"), [&] {
    std::int64_t sum = 0;
    for (const TraceSlice& s : trace_.slices) sum += s.duration;
    return sum;
  }());
  EXPECT_EQ(number("SELECT sum(\"end\" - begin - duration) FROM slices"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE name = 'nobody'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE track = NULL"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE track = 'x' OR track = -1"), 0);
  EXPECT_EQ(number("SELECT sum(correlation) FROM slices"), 12'000LL * 11'999 / 2);
}

TEST_F(Sql, AnyJoinOfTablesIsThatOfTheRows) {
  EXPECT_EQ(number("SELECT sum(arg(slice_id, 'i') = correlation) FROM slices WHERE begin < 3000"),
            number("SELECT count(*) FROM slices WHERE begin < 3000"));
  EXPECT_EQ(number("SELECT count(*) FROM slices s JOIN args a ON a.slice_id = s.slice_id "
                   "WHERE s.begin < 500"),
            3 * number("SELECT count(*) FROM slices WHERE begin < 500"));
  EXPECT_EQ(number("SELECT count(*) FROM slices a JOIN slices b ON b.slice_id = a.slice_id "
                   "WHERE a.track = 0 AND a.begin < 3000"),
            number("SELECT count(*) FROM slices WHERE track = 0 AND begin < 3000"));
  EXPECT_EQ(number("SELECT sum(count) FROM labels"), 12'000);
  EXPECT_EQ(number("SELECT count(DISTINCT class) FROM labels"), 1);
  EXPECT_EQ(number("SELECT sum(slices) FROM tracks"), 12'000);
  EXPECT_EQ(number("SELECT to_time - from_time FROM flows"), 100);
  EXPECT_EQ(number("SELECT CAST(value AS INTEGER) FROM counters WHERE key = 'used'"), 7);
  EXPECT_EQ(number("SELECT count(*) FROM points WHERE phase = 'C'"), 1);
  EXPECT_EQ(number("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9) "
                   "SELECT count(*) FROM n"),
            9);
}

TEST_F(Sql, NothingElseIsAllowed) {
  for (const char* sql : {"ATTACH 'file.db' AS x",
                          "PRAGMA table_list",
                          "CREATE TABLE t(a)",
                          "DELETE FROM slices",
                          "INSERT INTO tracks VALUES (1)",
                          "UPDATE slices SET name = ''",
                          "DROP TABLE slices",
                          "VACUUM",
                          "VACUUM INTO 'file.db'",
                          "BEGIN",
                          "SELECT * FROM sqlite_master",
                          "SELECT * FROM sqlite_schema",
                          "SELECT load_extension('x')",
                          "SELECT randomblob(1000000)",
                          "SELECT zeroblob(1000000000)",
                          "SELECT readfile('/etc/passwd')",
                          "SELECT * FROM pragma_database_list",
                          "SELECT * FROM json_each('[1]')",
                          "SELECT * FROM trace",
                          "SELECT sqlite_version()",
                          "CREATE VIRTUAL TABLE t USING slices",
                          "EXPLAIN DELETE FROM slices",
                          "EXPLAIN SELECT name FROM slices",
                          "EXPLAIN QUERY PLAN SELECT name FROM slices",
                          "",
                          "  ; ",
                          "SELECT 1; SELECT 2",
                          "SELECT slice_id FROM args"}) {
    EXPECT_NE(refusal(sql), "allowed") << sql;
  }
  EXPECT_THAT(refusal("SELECT nothing FROM slices"), HasSubstr("(at byte 7)"));
  EXPECT_THAT(refusal("SELECT " + std::string(5000, ' ') + "1"), HasSubstr("4000"));
  EXPECT_EQ(refusal("SELECT 1; -- and that is all") == "allowed", false);
  EXPECT_EQ(refusal("SELECT 1 ;\n"), "allowed");
}

TEST_F(Sql, WhatTakesTooLongEnds) {
  SqlLimits limits;
  limits.time = std::chrono::milliseconds(50);
  for (const char* sql :
       {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "SELECT count(*) FROM slices a, slices b, slices c WHERE a.name || b.name = c.name"}) {
    const Answer answer = ask(sql, limits);
    ASSERT_TRUE(answer.outcome.error.has_value()) << sql;
    EXPECT_THAT(*answer.outcome.error, HasSubstr("longer")) << sql;
    EXPECT_TRUE(answer.outcome.is_cut);
  }
}

TEST_F(Sql, RowsAndTextsAreLimited) {
  SqlLimits limits;
  limits.rows = 10;
  const Answer ten = ask("SELECT * FROM slices", limits);
  EXPECT_EQ(ten.rows.size(), 10u);
  EXPECT_TRUE(ten.outcome.is_cut);
  EXPECT_LT(ten.outcome.slices_read, 12'000) << "no more is read than is wanted";
  const Answer exact = ask("SELECT * FROM tracks", limits);
  EXPECT_FALSE(exact.outcome.is_cut);
  const Answer large =
      ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) "
          "SELECT replace(printf('%.*c', 60000, 'x'), 'x', 'y') FROM n");
  EXPECT_TRUE(large.outcome.is_cut);
  EXPECT_EQ(large.outcome.error, std::nullopt);
  EXPECT_EQ(large.rows.size(), 17u);  // of 1 MB
  const Answer huge = ask("SELECT printf('%.*c', 65537, 'x')");
  for (const auto& row : huge.rows) {
    const auto* text = std::get_if<std::string>(&row[0]);
    EXPECT_TRUE(text == nullptr || text->size() <= std::size_t{64} << 10);
  }
  const Answer joined = ask("SELECT printf('%.*c', 60000, 'x') || printf('%.*c', 60000, 'x')");
  EXPECT_THAT(joined.outcome.error.value_or(""), HasSubstr("longer than the 64 kB"));
  const Answer none = ask("SELECT NULL, 1.5, 'a'");
  ASSERT_EQ(none.rows.size(), 1u);
  EXPECT_THAT(none.rows[0], ElementsAre(SqlValue(), SqlValue(1.5), SqlValue(std::string("a"))));
}

TEST_F(Sql, FunctionsThatTakeQuadraticTimeEndSoon) {
  for (const char* call :
       {"instr(printf('%.*c', 60000, 'x'), printf('%.*c', 30000, 'x') || 'y' || i)",
        "length(replace(printf('%.*c', 60000, 'x'), "
        "printf('%.*c', 30000, 'x') || 'y', i))"}) {
    const auto began = std::chrono::steady_clock::now();
    const Answer answer = ask(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT sum(" +
            std::string(call) + ") FROM n",
        {.time = std::chrono::milliseconds(20)});
    EXPECT_THAT(answer.outcome.error.value_or(""), HasSubstr("longer"));
    // With values of 1 MB and looks every 10,000 steps it is minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10)) << call;
  }
}

TEST_F(Sql, TemporaryFilesAreBoundedInTotal) {
  const std::string rows =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) ";
  const auto sort = [](int bytes) {
    return "(SELECT i FROM n ORDER BY printf('%.*c', " + std::to_string(bytes) +
           ", 'x') || i LIMIT -1 OFFSET 1)";
  };
  const SqlLimits patient{.time = std::chrono::minutes(2)};
  // 50 MB; and twice 40 MB, each of which alone would do.
  EXPECT_EQ(ask(rows + "SELECT count(*) FROM " + sort(10'000), patient).outcome.error,
            std::nullopt);
  EXPECT_EQ(ask(rows + "SELECT count(*) FROM " + sort(8'000), patient).outcome.error, std::nullopt);
  for (const std::string& from : {sort(20'000), sort(8'000) + " a, " + sort(8'000) + " b"}) {
    const Answer answer = ask(rows + "SELECT count(*) FROM " + from, patient);
    EXPECT_THAT(answer.outcome.error.value_or(""), HasSubstr("64 MB of temporary files")) << from;
    EXPECT_TRUE(answer.outcome.is_cut);
  }
  EXPECT_EQ(number("SELECT count(*) FROM tracks"), 2) << "what a query has held is given back";
}

TEST_F(Sql, WhatIsThrownDoesNotGoThroughSqlite) {
  const std::string sql = "SELECT class FROM labels";
  EXPECT_THAT(
      ask(sql, {}, [](const auto&) -> std::string_view { throw std::bad_alloc(); }).outcome.error,
      TraceSql::out_of_memory().message);
  const Answer other =
      ask(sql, {}, [](const auto&) -> std::string_view { throw std::runtime_error("odd"); });
  EXPECT_TRUE(other.outcome.error.has_value());
  EXPECT_TRUE(other.outcome.is_cut);
  EXPECT_EQ(number("SELECT count(*) FROM tracks"), 2);
}

TEST_F(Sql, ArgumentsOfMostSlicesAreReadInTheTimeOfOneQuery) {
  // Each was a chunk and a block read anew: 2.5 s. Half a minute under a sanitizer, else far below.
  const Answer answer =
      ask("SELECT count(*), sum(arg(slice_id, 'i') = correlation), sum(arg(slice_id, 't') = 'x'), "
          "count(arg(slice_id, 'nothing')) FROM slices",
          {.time = std::chrono::seconds(30)});
  ASSERT_EQ(answer.rows.size(), 1u) << answer.outcome.error.value_or("");
  EXPECT_THAT(answer.rows[0],
              ElementsAre(SqlValue(std::int64_t{12'000}), SqlValue(std::int64_t{12'000}),
                          SqlValue(std::int64_t{12'000}), SqlValue(std::int64_t{0})));
}

TEST_F(Sql, ArgumentsAreNoWayAroundTheTime) {
  const Answer late =
      ask("SELECT sum(arg(slice_id, 'i')) FROM slices", {.time = std::chrono::milliseconds(0)});
  EXPECT_TRUE(late.rows.empty());
  EXPECT_THAT(late.outcome.error.value_or(""), HasSubstr("longer than a query may"));
}

TEST_F(Sql, ASliceIsFoundByItsId) {
  const std::int64_t id = number("SELECT slice_id FROM slices WHERE correlation = 777");
  const Answer answer = ask("SELECT count(*), max(begin), arg(" + std::to_string(id) +
                            ", 't') FROM slices WHERE slice_id = " + std::to_string(id));
  ASSERT_EQ(answer.rows.size(), 1u);
  EXPECT_EQ(answer.rows[0][0], SqlValue(std::int64_t{1}));
  EXPECT_EQ(answer.rows[0][1], SqlValue(trace_.slices[777].start - origin_));
  EXPECT_EQ(answer.rows[0][2], SqlValue(std::string("x")));
  EXPECT_LE(answer.outcome.slices_read, 8191) << "one chunk";
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE slice_id = 9223372036854775807"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM slices WHERE slice_id = -1"), 0);
  EXPECT_EQ(number("SELECT arg(-1, 'x') IS NULL"), 1);
}

TEST_F(Sql, TablesAndColumnsAreThoseThatAreListed) {
  ASSERT_EQ(sql_table_texts().size(), 7u);
  for (const SqlTableText& table : sql_table_texts()) {
    EXPECT_FALSE(table.meaning.empty()) << table.name;
    std::string names;
    for (const SqlColumn& column : table.columns) {
      names += (names.empty() ? "\"" : ", \"") + std::string(column.name) + "\"";
      EXPECT_FALSE(column.meaning.empty()) << table.name << "." << column.name;
    }
    const std::string where = table.name == "args" ? " WHERE slice_id = 0" : "";
    const auto answer = ask("SELECT " + names + " FROM " + std::string(table.name) + where);
    EXPECT_EQ(answer.outcome.error, std::nullopt) << table.name;
  }
}

}  // namespace
}  // namespace benchhud::trace
