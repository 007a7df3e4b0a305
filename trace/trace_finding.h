// Places in a trace where something was found. Analysis says what they are; the store keeps all of
// them, packed, the longest of each kind first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::trace {

struct TraceFinding {
  std::int64_t begin = 0,
               end = 0;  ///< ns on the trace's own clock; it does not end before it begins
  std::uint32_t thread = 0;
  /// Numbers of Trace::labels: what it is about, and what else. 0: nothing.
  std::uint32_t label = 0, other = 0;
  std::uint32_t number = 0;  ///< what its kind counts, such as a version; 0 where nothing

  bool operator==(const TraceFinding&) const = default;
};

/// Findings in a block, but for the last of a kind.
inline constexpr std::size_t kFindingsABlock = 4096;

/// At most kFindingsABlock findings of a kind, the longest first, as a zstd frame of columns.
std::string encode_findings(std::span<const TraceFinding> findings);
/// Error: kCorrupt.
schema::Expected<std::vector<TraceFinding>> decode_findings(std::string_view block);

/// All findings of a kind.
struct PackedFindings {
  std::string kind;  ///< such as "graph_break"
  std::int64_t count = 0;
  /// Where among them, the longest first, the one is that begins first.
  std::int64_t earliest = 0;
  std::vector<std::string> blocks;  ///< of encode_findings()
};

struct FindingKind {
  std::string kind;
  std::int64_t count = 0;  ///< all that were found
  /// Those that findings_of_kind() gives: all of them, or of what an older program stored the
  /// longest 1000.
  std::int64_t kept = 0;
  /// As PackedFindings::earliest; none where an older program stored them.
  std::optional<std::int64_t> earliest;
};

/// A finding as it is read.
struct StoredFinding {
  TraceFinding finding;
  /// A phrase for a person where an older program stored it, which kept no labels and no number.
  std::optional<std::string> words;
};

/// Keeps findings in place of those that are there. Call it within a transaction.
schema::Expected<void> put_trace_findings(schema::Connection& connection, schema::TraceId trace,
                                          const std::vector<PackedFindings>& kinds);
/// The kinds that there are, by name.
schema::Expected<std::vector<FindingKind>> trace_finding_kinds(schema::Connection& connection,
                                                               schema::TraceId trace);
/// Findings of a kind, the longest first: at most `limit` from the one at `first` on, counted from
/// 0; none where there are no more. Errors: kCorrupt, the store's.
schema::Expected<std::vector<StoredFinding>> findings_of_kind(schema::Connection& connection,
                                                              schema::TraceId trace,
                                                              const FindingKind& kind,
                                                              std::size_t first, std::size_t limit);
/// Whether some of a trace's findings are only counted: an older program stored them.
schema::Expected<bool> lacks_findings(schema::Connection& connection, schema::TraceId trace);
schema::Expected<void> delete_trace_findings(schema::Connection& connection, schema::TraceId trace);

}  // namespace benchhud::trace
