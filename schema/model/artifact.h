// Dumps that the runner leaves beside its results: what they are and which results they belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/model/types.h"

namespace benchhud::schema {

enum class ArtifactId : std::int64_t {};
enum class TraceId : std::int64_t {};

enum class ArtifactKind : std::uint8_t {
  kTrace,           ///< a Chrome trace, or an XPlane profile
  kOperatorTable,   ///< key_averages()
  kDynamoCounters,  ///< {group: {counter: n}}
  kXlaMetrics,      ///< PyTorch/XLA's metrics report
  kIr,              ///< lazy IR, HLO or StableHLO
  kCompileTimes,    ///< torch._dynamo.utils.compile_times()
  kXplane,          ///< another file of an XPlane folder, kept as it is
  kTorchTrace,      ///< a log of TORCH_TRACE
};

/// "trace", "operator_table", "dynamo_counters", "xla_metrics", "ir", "compile_times", "xplane",
/// "torch_trace".
std::string_view artifact_kind_name(ArtifactKind kind);
std::optional<ArtifactKind> artifact_kind_of(std::string_view name);

/// Whether an artifact of that name, its place in the output directory, is what XLA's profiler left
/// (`MODEL/xla-profile/…`, of `--profile-xla`): the runner warns that its times are then no
/// benchmark's.
bool is_of_xla_profiler(std::string_view name);

/// A result as its line names it: what stays the same wherever the line is ingested from.
struct ResultKey {
  ContentHash experiment;  ///< of Experiment::identity()
  double timestamp = 0;    ///< the line's
  bool operator==(const ResultKey&) const = default;
};

/// By what a file is taken to be the one that was read before.
struct FileStamp {
  std::int64_t disk_size = 0;    ///< bytes
  std::int64_t modified_ns = 0;  ///< since 1970: when it was last changed
};

/// A dump as it was found. It belongs to the results of `ties`; several are of experiments that its
/// name does not tell apart; none: it is an orphan.
struct NewArtifact {
  ArtifactKind kind = ArtifactKind::kTrace;
  std::string name;  ///< its place in the output directory: "resnet/0/trace-cuda-….json"
  std::string path;  ///< absolute
  std::string base;  ///< the part of its name that tells the experiment; "" where it has none
  std::string model;
  std::optional<std::int64_t> repetition;
  std::string part;  ///< what tells several dumps of one base apart: "hlo.0", "module_0001.….txt"
  ContentHash hash;
  std::int64_t byte_count = 0;  ///< decompressed
  FileStamp file;
  std::int64_t problem_count = 0;
  std::optional<std::string> error;
  std::optional<TextId> text;
  std::optional<TraceId> trace;
  std::optional<TextId> digest;  ///< of its trace
  std::vector<ResultKey> ties;
};

/// A result that a dump belongs to.
struct ArtifactResult {
  RunId run{};
  ExperimentId experiment{};
};

struct Artifact {
  ArtifactId id{};
  ArtifactKind kind = ArtifactKind::kTrace;
  std::string name, path, base, model, part;
  std::optional<std::int64_t> repetition;
  std::string content_hash;  ///< hexadecimal
  std::int64_t byte_count = 0;
  double ingested_at = 0;
  std::int64_t problem_count = 0;
  std::optional<std::string> error;
  std::optional<TextId> text;
  std::optional<TraceId> trace;
  std::optional<TextId> digest;         ///< of its trace
  std::vector<ArtifactResult> results;  ///< none: an orphan; several: shared by them
  /// A later dump of the same name belongs to the same results: this one was taken in while the
  /// runner was still writing, or was made again.
  bool is_superseded = false;
};

/// What a dump is called.
struct ArtifactName {
  ArtifactId id{};
  ArtifactKind kind = ArtifactKind::kTrace;
  std::string name;
  double ingested_at = 0;
};

/// Which artifacts, newest first. Unset fields do not filter.
struct ArtifactFilter {
  std::optional<ArtifactResult> result;  ///< of this result
  std::optional<RunId> run;              ///< of any result of this run
  std::optional<ArtifactKind> kind;
  bool only_orphans = false;
  bool with_superseded = true;
  std::optional<ArtifactId> before;  ///< with an id below this, for paging
  std::size_t limit = 1000;
};

}  // namespace benchhud::schema
