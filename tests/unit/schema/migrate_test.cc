// All migrations applied to an empty file give what schema.sql says, and nothing else.

#include "schema/migrate.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <map>
#include <sstream>

#include "schema/database.h"

namespace benchhud::schema {
namespace {

// The text of a statement without comments and with single spaces.
std::string normalised(std::string_view sql) {
  std::string text;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql.substr(i, 2) == "--") {
      while (i < sql.size() && sql[i] != '\n') ++i;
    }
    const char c = i < sql.size() ? sql[i] : ' ';
    if (!std::isspace(static_cast<unsigned char>(c))) {
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
  std::ifstream file(BENCHHUD_SCHEMA_SQL);
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

}  // namespace
}  // namespace benchhud::schema
