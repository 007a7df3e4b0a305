// Takes the lines of one file into the store. The caller holds the write transaction, so that a
// file is in the store wholly or not at all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/db/text_store.h"
#include "schema/model/sample_summary.h"
#include "schema/model/types.h"
#include "schema/results/reader.h"

namespace benchhud::schema {

/// One metric of a new line, made ready by whoever parsed it.
struct NewMeasurement {
  std::string_view metric;
  SampleShape shape = SampleShape::kArray;
  std::span<const double> samples;
  SampleSummary summary;               ///< not needed of what is_in_line()
  const PackedText* nested = nullptr;  ///< kNested: its JSON
};

/// What a line says of the run that it belongs to, where the format has room for it. What the
/// command says wins.
struct LineOrigin {
  std::optional<std::string> run_name;
  std::map<std::string, std::string> labels;
  /// It is known to be the verifier's, and stands in an invocation of such lines.
  bool is_verification = false;

  bool operator==(const LineOrigin&) const = default;
};

/// A line to be taken in. Everything pointed to must live until add() returns.
struct NewLine {
  const Experiment* experiment = nullptr;
  ContentHash identity;                ///< of experiment->identity()
  ContentHash family;                  ///< of experiment->family()
  const LineOrigin* origin = nullptr;  ///< null: the format tells nothing
  double timestamp = 0;
  ContentHash
      hash;  ///< of the line's bytes (and of the timestamp, where it was given from outside)
  std::string_view bytes;  ///< the line itself
  std::int64_t line_number = 0;
  std::int64_t byte_offset = 0;
  bool timed = false;
  std::optional<std::int64_t> repeat, iterations_per_run;
  std::optional<std::string_view> code;
  std::optional<double> mean_rel_error;
  const PackedText* error = nullptr;
  std::string_view extra;
  std::span<const NewMeasurement> measurements;
};

/// What some new lines name, beside their experiments, that may be in the store already. Each may
/// be there more than once.
struct NamedByNewLines {
  std::vector<ContentHash> texts;
  std::vector<std::string_view> metrics;
};

struct NewRejection {
  std::int64_t line_number = 0;
  std::int64_t byte_offset = 0;
  std::int64_t byte_count = 0;
  ContentHash hash;
  /// It may be taken in when the path is read again: the file ends inside it, or it has no
  /// timestamp.
  bool retriable = false;
  std::string_view reason;
  std::string_view bytes;  ///< the line, or its beginning: kMostKeptBytes of it are kept
};

/// How much of a rejected line is kept.
inline constexpr std::size_t kMostKeptBytes = 1 << 20;

struct FileOptions {
  std::string path;
  std::optional<std::string> run_name;
  std::map<std::string, std::string> labels;
  /// Results are derived whenever so many lines have come: while they are still in SQLite's cache
  /// (with samples 1-2 KB a line, of 64 MB), for reading them all again behind a file that is
  /// larger would take longer the larger it is.
  std::int64_t lines_between_derivations = 16'000;
};

/// What taking a file in did.
struct FileReport {
  std::int64_t accepted = 0;
  std::int64_t duplicate = 0;
  std::int64_t rejected = 0;  ///< all that were rejected, known before or not
  std::int64_t resolved = 0;  ///< rejected at an earlier reading of this path, in now
  std::int64_t in_other_run =
      0;                    ///< lines that --run named a run for but that are in another already
  std::int64_t pruned = 0;  ///< of `duplicate`, and rejected ones: were pruned, and stay away
  std::int64_t not_labelled = 0;  ///< lines that were there already: labels are given to new ones
  bool changed = false;           ///< whether the store differs from before
  std::vector<RunId> runs;        ///< that the file's lines belong to
};

/// The whole content of a file.
struct FileContent {
  ContentHash hash;
  std::int64_t byte_count = 0;
  std::int64_t line_count = 0;
  bool lacks_timestamps = false;             ///< some line bears no timestamp
  std::optional<double> fallback_timestamp;  ///< what such lines are given
};

class FileWriter {
 public:
  enum class Outcome { kAccepted, kDuplicate };

  static Expected<FileWriter> begin(Connection& connection, FileOptions options);
  FileWriter(FileWriter&&) noexcept;
  ~FileWriter();

  /// Looks up together the experiments, by identity, that the next lines are of; or what those
  /// name. Need not be called: what it was not told of is looked up when its line comes.
  Expected<void> look_ahead(std::span<const ContentHash> experiments);
  Expected<void> look_ahead(const NamedByNewLines& names);
  Expected<Outcome> add(const NewLine& line);
  /// False: it was rejected before and pruned since, and is nothing that anybody is told of.
  Expected<bool> reject(const NewRejection& rejection);
  /// Puts invocations into runs and derives the results of every run that changed. Call last,
  /// before the commit; roll back instead where the report says that nothing changed.
  Expected<FileReport> finish(const FileContent& content);

 private:
  struct State;
  explicit FileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The earlier taking-in of exactly this content, if every line of it is still in the store.
Expected<std::optional<IngestedFile>> find_complete_file(Connection& connection,
                                                         const FileContent& content);
/// Whether a file of this many bytes was ever taken in: if not, its content is not worth looking
/// for.
Expected<bool> has_file_of_size(Connection& connection, std::int64_t byte_count);

}  // namespace benchhud::schema
