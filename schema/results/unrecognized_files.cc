#include "schema/results/unrecognized_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "schema/db/setting.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

constexpr std::string_view kKey = "unrecognized_files";
// Ends each path: no absolute path has two slashes next to each other, or ends in one.
constexpr std::string_view kEnd = "//";

bool is_at(std::string_view path, std::string_view place) {
  if (!path.starts_with(place)) return false;
  path.remove_prefix(place.size());
  return path.empty() || path.starts_with('/');
}

}  // namespace

Expected<std::vector<std::string>> unrecognized_files(Connection& connection) {
  BENCHHUD_ASSIGN(const auto kept, setting(connection, kKey));
  std::vector<std::string> paths;
  std::string_view rest = kept ? std::string_view(*kept) : std::string_view();
  for (std::size_t end; (end = rest.find(kEnd)) != rest.npos;) {
    paths.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + kEnd.size());
  }
  return paths;
}

Expected<std::string> store_file(Connection& connection) {
  Statement query = connection.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'");
  std::string path;
  if (query.step()) path = query.text(0);
  BENCHHUD_TRY(query.status());
  return path;
}

Expected<bool> note_unrecognized_files(Connection& connection,
                                       const std::vector<std::string>& places,
                                       std::vector<std::string> paths, std::size_t most) {
  BENCHHUD_ASSIGN(const std::vector<std::string> before, unrecognized_files(connection));
  for (const std::string& path : before) {
    const bool is_elsewhere = std::none_of(places.begin(), places.end(),
                                           [&](const auto& place) { return is_at(path, place); });
    if (is_elsewhere) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  if (paths.size() > most) paths.resize(most);
  if (paths == before) return false;
  std::string kept;
  for (const std::string& path : paths) kept.append(path).append(kEnd);
  BENCHHUD_TRY(put_setting(connection, kKey, kept));
  BENCHHUD_ASSIGN([[maybe_unused]] const auto revision, next_revision(connection));
  return true;
}

}  // namespace benchhud::schema
