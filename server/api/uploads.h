// Files that are sent to the server to be taken in: kept beside the store until they are whole,
// then ingested as if they were named on the command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <semaphore>
#include <string>

#include "ingest/pipeline/pipeline.h"
#include "schema/base/errors.h"
#include "schema/store/store_lock.h"
#include "server/api/api_contract.h"
#include "server/http/message.h"
#include "service/imports/dropped_trace_import.h"

namespace benchhud::server {

struct UploadLimits {
  std::int64_t unpacked = std::int64_t{8} << 30;  ///< bytes of a file
  /// How long an ingest by somebody else is waited for.
  std::chrono::milliseconds patience{60'000};
  service::DropLimits drops;  ///< of traces that are dropped on a page
};

/// Threads may share it.
class Uploads {
 public:
  /// Removes what a server that was killed has left beside the store, and nobody else is at.
  Uploads(std::string store_path, const UploadLimits& limits);

  /// Takes a results file, a dump or a dropped trace in. `token`: the id of its sender's. `query`:
  /// its name, and with it the parameters of the contract's operation. The body is read only when
  /// everything else is in order. Gives the contract's IngestReport or DroppedTrace. Errors:
  /// kMediaType, kInvalidArgument (not packed as its type says, a name that is none), kTooLarge
  /// (also where nothing of the file is within the memory budgets), kFull, kBusy, those of the
  /// store. After an error the store is as it was, but for one that says otherwise.
  schema::Expected<std::string> take(const Request& request, const Operation& operation,
                                     const Query& query, std::int64_t token);

 private:
  schema::Expected<std::string> ingest(const std::string& file, const Operation& operation,
                                       const Query& query, const schema::StoreTurns& turns);
  /// Bytes that the next trace which a token drops may have.
  schema::Expected<std::int64_t> most_of_drop(std::int64_t token) const;
  /// The same of a trace that somebody dropped on a page. Gives the contract's DroppedTrace.
  schema::Expected<std::string> drop(const std::string& file, const Query& query,
                                     std::int64_t token, const schema::StoreTurns& turns);

  const std::string store_path_;
  const UploadLimits limits_;
  /// Each holds a thread and a part of a disk.
  static constexpr int kMostAtOnce = 4;
  std::counting_semaphore<kMostAtOnce> places_{kMostAtOnce};
  /// Bytes, unpacked, beyond which a file is read while no other such is.
  static constexpr std::int64_t kLargeBytes = std::int64_t{64} << 20;
  std::mutex reading_large_;
};

}  // namespace benchhud::server
