// How many SQL statements this program runs.
#pragma once

#include <cstdint>
#include <string>

namespace benchhud {

enum class CountedBy {
  kNothing,  ///< for who also counts instructions: a statement costs a few
  kText      ///< each text of a statement by itself, for table_of_statements()
};

/// Statements are counted on every connection that is opened from now on, each time one is run from
/// its beginning. The first connection to a store configures SQLite, which must have happened
/// before.
void count_statements(CountedBy by);

/// How many were run since this was called last, on all threads.
std::int64_t take_statement_count();

/// What was counted by text since the count was taken last but one: a line a statement with how
/// often it was run and how it begins, the most frequent ones first.
std::string table_of_statements();

}  // namespace benchhud
