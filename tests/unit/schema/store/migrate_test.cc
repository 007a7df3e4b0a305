// All migrations applied to an empty file give what schema.sql says, and nothing else.

#include "schema/store/migrate.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "schema/db/database.h"
#include "schema/db/row_batch.h"
#include "schema/results/reader.h"
#include "tests/unit/places.h"
#include "tests/unit/schema/older_store.h"

namespace benchhud::schema {
namespace {

// The text of a statement without comments and with single spaces, none before a comma or bracket:
// there SQLite leaves what was a comment before an added column.
std::string normalised(std::string_view sql) {
  std::string text;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql.substr(i, 2) == "--") {
      while (i < sql.size() && sql[i] != '\n') ++i;
    }
    const char c = i < sql.size() ? sql[i] : ' ';
    if (!std::isspace(static_cast<unsigned char>(c))) {
      if ((c == ',' || c == ')') && !text.empty() && text.back() == ' ') text.pop_back();
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  return text;
}

std::map<std::string, std::string> objects(Connection& connection) {
  std::map<std::string, std::string> found;
  Statement query =
      connection.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'");
  while (query.step()) found[std::string(query.text(0))] = normalised(query.text(1));
  return found;
}

TEST(Migrate, AllMigrationsAreTheSchema) {
  auto migrated = Connection::open(":memory:", OpenMode::kReadWriteCreate);
  auto snapshot = Connection::open(":memory:", OpenMode::kReadWriteCreate);
  ASSERT_TRUE(migrated && snapshot);
  ASSERT_TRUE(migrate(*migrated));
  std::ifstream file(source_root() / "schema/schema.sql");
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty());
  const auto executed = snapshot->execute(text.str());
  ASSERT_TRUE(executed) << executed.error().message;
  EXPECT_EQ(objects(*migrated), objects(*snapshot));
  EXPECT_FALSE(objects(*migrated).empty());
}

TEST(Migrate, MigratingAgainChangesNothing) {
  auto connection = Connection::open(":memory:", OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  ASSERT_TRUE(migrate(*connection));
  const auto before = objects(*connection);
  ASSERT_TRUE(migrate(*connection));
  EXPECT_EQ(objects(*connection), before);
  EXPECT_EQ(*schema_version_of(*connection), schema_version());
}

TEST(Migrate, AStoreOfTheFirstVersionKeepsAllThatItHolds) {
  auto connection = Connection::open(":memory:", OpenMode::kReadWriteCreate);
  ASSERT_TRUE(connection);
  const auto filled = make_first_store(*connection);
  ASSERT_TRUE(filled) << filled.error().message;
  const auto migrated = migrate(*connection);
  ASSERT_TRUE(migrated) << migrated.error().message;

  Reader reader(*connection);
  const auto results = reader.results(RunId(1));
  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 2u);
  EXPECT_EQ((*results)[0].total_time, (std::vector<double>{1, 2}));
  EXPECT_EQ((*results)[0].iterations_per_run, 4);
  EXPECT_TRUE((*results)[0].per_iter_time.empty());
  EXPECT_EQ((*results)[1].total_time, std::vector<double>{2});
  EXPECT_EQ((*results)[1].failure->line, LineId(3));

  const auto of_array = reader.measurements(LineId(1));
  ASSERT_TRUE(of_array);
  ASSERT_EQ(of_array->size(), 2u);
  EXPECT_EQ((*of_array)[0].measurement.metric, "dispatch_time");
  EXPECT_EQ((*of_array)[1].measurement.metric, "total_time");
  EXPECT_EQ((*of_array)[1].measurement.shape, SampleShape::kArray);
  EXPECT_EQ((*of_array)[1].measurement.samples, (std::vector<double>{1, 2}));
  EXPECT_EQ((*of_array)[1].summary.median, 1.5);
  const auto of_number = reader.measurements(LineId(2));
  ASSERT_TRUE(of_number);
  ASSERT_EQ(of_number->size(), 1u);
  EXPECT_EQ((*of_number)[0].measurement.shape, SampleShape::kScalar);
  EXPECT_EQ((*of_number)[0].measurement.samples, std::vector<double>{2});

  const auto invocations = reader.invocations(RunId(1));
  ASSERT_TRUE(invocations);
  ASSERT_EQ(invocations->size(), 1u);
  EXPECT_EQ(invocations->front().files, std::vector<std::string>{"/n.jsonl"});
  EXPECT_EQ(invocations->front().line_count, 3);
}

TEST(RowBatch, ManyRowsNumberTheirParametersOn) {
  EXPECT_EQ(
      many_rows("INSERT INTO t (a, b) VALUES ($1, (SELECT c FROM u WHERE d = $2 + $1))\n", 2, 3),
      "INSERT INTO t (a, b) VALUES ($1, (SELECT c FROM u WHERE d = $2 + $1)),"
      " ($3, (SELECT c FROM u WHERE d = $4 + $3)), ($5, (SELECT c FROM u WHERE d = $6 + $5))");
}

}  // namespace
}  // namespace benchhud::schema
