// Looks rows up by their keys, many keys a statement: a statement costs as much as a few of its
// lookups, and where it has to travel, as much as hundreds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Keys in a statement that looks many up.
inline constexpr std::size_t kKeysAStatement = 64;

/// And in those that look fewer up: each that it has room for costs, whether it is needed or not.
inline constexpr std::size_t kFewKeysAStatement = 8, kSomeKeysAStatement = 24;

/// The number of the parameter that `one` has as its only key.
int key_parameter(std::string_view one);

/// How many keys the statement has room for that `keys` keys are looked up with.
constexpr std::size_t room_for_keys(std::size_t keys) {
  for (const std::size_t room : {std::size_t{1}, kFewKeysAStatement, kSomeKeysAStatement}) {
    if (keys <= room) return room;
  }
  return kKeysAStatement;
}

/// The statement that looks up room_for_keys(keys) keys, from `one`, a constant that looks up one:
/// it says `IN ($n)` once, and $n is its last parameter. The keys are $n and on. A constant as
/// well: the same text, at the same address, whenever the same is asked for. Threads may share it.
std::string_view many_keys(std::string_view one, std::size_t keys);

/// The statement with some keys bound, at most kKeysAStatement and not none. `one` and `bind` as
/// look_up() has them.
template <class Key, class Bind>
Statement with_keys_bound(Connection& connection, std::string_view one, std::span<const Key> keys,
                          Bind bind) {
  const int first = key_parameter(one);
  Statement query = connection.cached(many_keys(one, keys.size()));
  for (std::size_t i = 0; i < room_for_keys(keys.size()); ++i) {
    // Within a statement a key that is there twice is found once.
    bind(query, first + static_cast<int>(i), keys[std::min(i, keys.size() - 1)]);
  }
  return query;
}

/// Visits the rows of all `keys`, in no order; of one that is there twice perhaps twice. `one`: as
/// many_keys() has it; `bind(statement, parameter, key)` binds a key, and whatever other parameters
/// the statement has, each time; `visit(row)` returns Expected<void> and may not look up the same.
/// Errors: those of the store, and of `visit`, which ends with its first.
template <class Key, class Bind, class Visit>
Expected<void> look_up(Connection& connection, std::string_view one, std::span<const Key> keys,
                       Bind bind, Visit visit) {
  while (!keys.empty()) {
    const auto some = keys.first(std::min(keys.size(), kKeysAStatement));
    Statement query = with_keys_bound(connection, one, some, bind);
    while (query.step()) BENCHHUD_TRY(visit(query));
    BENCHHUD_TRY(query.status());
    keys = keys.subspan(some.size());
  }
  return {};
}

/// The same where the keys are numbers of rows, and all that the statement has to know.
template <class Id, class Visit>
Expected<void> look_up(Connection& connection, std::string_view one, std::span<const Id> ids,
                       Visit visit) {
  return look_up(
      connection, one, ids,
      [](Statement& query, int parameter, Id id) { query.bind(parameter, id); }, visit);
}

/// Runs a statement that gives no rows, such as one that deletes, for all `ids`.
template <class Id>
Expected<void> run_for(Connection& connection, std::string_view one, std::span<const Id> ids) {
  return look_up(connection, one, ids, [](const Statement&) -> Expected<void> { return {}; });
}

}  // namespace benchhud::schema
