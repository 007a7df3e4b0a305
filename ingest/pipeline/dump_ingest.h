// Takes dumps into a store: finds out what a file is and which results it belongs to, reads it and
// writes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ingest/pipeline/prepared_trace.h"
#include "ingest/profiles/dump_name.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::ingest {

struct DumpOptions {
  /// The result that every dump belongs to, whatever its name says.
  std::optional<schema::ResultKey> result;
  std::optional<std::int64_t> repetition;  ///< wins over the one in the path
  std::optional<double> timestamp;         ///< as in IngestOptions
  std::int64_t shift_weeks = 0;            ///< by which the times of results were shifted
  bool refuses_too_large = false;          ///< as in IngestOptions
  /// Whether `X.trace.json` beside `X.xplane.pb` is another file of the same dump: XLA's profiler
  /// wrote both of one session, and the second has all of it.
  bool joins_sessions = true;
  std::optional<std::string> kept_path;  ///< as in IngestOptions
  /// Whether traces stay in the store where it has a place for them outside.
  bool keeps_traces_in_store = false;
  /// Whether a trace may come as a pack, which is believed when it says of which file it was made.
  /// False for senders who are not to be believed in that.
  bool takes_packs = true;
  /// What is kept beside a trace. Made on a thread of its own while the trace is packed.
  SummarizeTrace trace_summary;
};

/// What became of a dump.
struct DumpResult {
  enum class Outcome {
    kNew,
    kKnown,  ///< the very same dump of the same result is in the store
    kTied,   ///< it is in the store, and belongs to results now that it did not belong to before
  };
  std::string path;
  Outcome outcome = Outcome::kNew;
  schema::ArtifactId id{};
  bool is_orphan = false;          ///< no result is known that it belongs to
  std::int64_t problem_count = 0;  ///< parts of it that could not be read
  /// Why nothing could be made of it; it is listed in the store all the same.
  std::optional<std::string> unreadable;
  bool changed = false;                ///< whether the store differs from before
  std::optional<schema::Error> error;  ///< it could not be taken in and left nothing behind
};

/// Takes dumps in, one after the other: what takes long, without any lock of the store; then what
/// is ready, with its write transaction.
class DumpIngest {
  class File;

 public:
  DumpIngest(schema::Connection& store, DumpOptions options);
  ~DumpIngest();

  /// A dump that is read and ready to be put into the store.
  class Prepared {
   public:
    Prepared(Prepared&&) noexcept;
    Prepared& operator=(Prepared&&) noexcept;
    ~Prepared();

   private:
    friend class DumpIngest;
    explicit Prepared(std::unique_ptr<File> file);
    std::unique_ptr<File> file_;
  };

  /// Reads a dump. Of the store it reads what it has of the dump already; the caller need not hold
  /// a transaction. Errors: kIo where the file cannot be read; those of the store.
  schema::Expected<Prepared> prepare(const std::string& path);
  /// Whether copy_ahead() would copy something.
  bool is_copied_ahead(const Prepared& prepared, const CopyAhead& options) const;
  /// Copies a large trace into the store, where nobody sees it until put(), so that nobody has to
  /// wait for the whole of it then. The caller holds no transaction, but the turn with the store.
  /// What fails here is left to put(), which copies it all then.
  void copy_ahead(Prepared& prepared, const CopyAhead& options);
  /// Removes what was copied ahead and then not put, once put()'s transaction has ended. What fails
  /// is left to remove_abandoned_arrivals().
  void remove_what_was_not_put();
  /// Puts it into the store. The caller holds the write transaction. Where what the store had of
  /// the dump has gone since it was prepared, it is read again. Errors: as prepare().
  schema::Expected<DumpResult> put(Prepared prepared);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::ingest
