#include "cli/options/locked_store.h"

#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/options/options.h"
#include "schema/store/space_reserve.h"
#include "schema/store/store.h"

namespace benchhud::cli {

namespace po = boost::program_options;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

constexpr std::int64_t kUsualWait = 60;            // s
constexpr std::int64_t kMostWait = 7 * 24 * 3600;  // s

/// A rescue that failed may have left an empty file where people believe that their store is.
void note_empty_file(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > 0) return;
  fmt::print(stderr, "{} is an empty file: a new store begins in it\n", printable(path));
}

Expected<schema::LockPatience> patience_of(const po::variables_map& values) {
  schema::LockPatience patience;
  BENCHHUD_ASSIGN(const auto longest, wait_of(values));
  patience.longest = longest;
  const bool is_quiet = values.count("quiet") > 0 && values["quiet"].as<bool>();
  // To wait is in order; who waits in vain says so.
  if (is_quiet) return patience;
  patience.on_wait = [longest](const std::string& holder) {
    fmt::print(stderr, "waiting up to {} s for {}\n", longest / std::chrono::seconds(1),
               printable(holder));
  };
  return patience;
}

}  // namespace

void add_wait_option(po::options_description* options) {
  options->add_options()(
      "wait", po::value<std::int64_t>()->value_name("SECONDS")->default_value(kUsualWait),
      "how long to wait, each time, where another process is taking in or deleting; after that "
      "exit status 5, and what was not done by then is not done");
}

Expected<std::chrono::milliseconds> wait_of(const po::variables_map& values) {
  const std::int64_t wait = values["wait"].as<std::int64_t>();
  if (wait >= 0 && wait <= kMostWait) return std::chrono::milliseconds(std::chrono::seconds(wait));
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--wait is a number of seconds, 0 to {}", kMostWait)};
}

Expected<schema::StoreLock> lock_store(const po::variables_map& values, const std::string& path,
                                       std::string_view work) {
  BENCHHUD_ASSIGN(const auto patience, patience_of(values));
  auto lock = schema::StoreLock::take(path, work, patience);
  if (lock || lock.error().code != ErrorCode::kBusy) return lock;
  return Error{ErrorCode::kBusy, lock.error().message + ", nothing was done"};
}

Expected<LockedStore> open_locked_store(const po::variables_map& values, const std::string& path,
                                        std::string_view work) {
  BENCHHUD_ASSIGN(auto lock, lock_store(values, path, work));
  note_empty_file(path);
  BENCHHUD_ASSIGN(auto connection, schema::open_store(path));
  schema::keep_space_reserve(path);
  return LockedStore{std::move(lock), std::move(connection)};
}

Expected<StoreInTurns> open_store_in_turns(const po::variables_map& values, const std::string& path,
                                           std::string_view work) {
  BENCHHUD_ASSIGN(auto patience, patience_of(values));
  BENCHHUD_ASSIGN(auto locked, open_locked_store(values, path, work));
  return StoreInTurns{std::move(locked.connection),
                      schema::StoreTurns(path, std::string(work), std::move(patience))};
}

}  // namespace benchhud::cli
