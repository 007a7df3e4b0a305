// Tables and their rows, from one database into another.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Makes the tables of these names in `to`, empty, as they are in `from`, with their indexes.
Expected<void> make_tables_like(Connection& from, Connection& to,
                                std::span<const std::string_view> names);

/// Copies the rows of `table` in which `column` is `of`; in the copies it is `becomes`. Rows that
/// have a number of their own, `id`, get another one. The caller holds the write transaction of
/// `to`. Error: kConflict, where `to` has a row that one of them would double.
Expected<void> copy_rows(Connection& from, Connection& to, std::string_view table,
                         std::string_view column, std::int64_t of, std::int64_t becomes);

}  // namespace benchhud::schema
