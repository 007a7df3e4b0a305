// A store that no other process does long work on: for commands that take in, delete or derive
// much.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <chrono>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/store/store_lock.h"

namespace benchhud::cli {

struct LockedStore {
  schema::StoreLock lock;
  schema::Connection connection;  // is closed before the lock ends
};

/// Adds `--wait SECONDS`: how long another process's work is waited for. Its value; error:
/// kInvalidArgument.
void add_wait_option(boost::program_options::options_description* options);
schema::Expected<std::chrono::milliseconds> wait_of(
    const boost::program_options::variables_map& values);

/// Takes the lock, waiting as `--wait` says and telling on standard error that it waits; then opens
/// the store at `path` for writing. `work` is what others are told. Errors: kInvalidArgument
/// for --wait, those of StoreLock::take() and schema::open_store().
schema::Expected<LockedStore> open_locked_store(const boost::program_options::variables_map& values,
                                                const std::string& path, std::string_view work);

/// A store that others work on in between.
struct StoreInTurns {
  schema::Connection connection;
  schema::StoreTurns turns;
};

/// Opens the store as open_locked_store() does, and gives the lock away again.
schema::Expected<StoreInTurns> open_store_in_turns(
    const boost::program_options::variables_map& values, const std::string& path,
    std::string_view work);

/// Takes the lock alone.
schema::Expected<schema::StoreLock> lock_store(const boost::program_options::variables_map& values,
                                               const std::string& path, std::string_view work);

}  // namespace benchhud::cli
