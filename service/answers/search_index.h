// Everything in the store that has a name, ready to be searched as people type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/results/error_history.h"
#include "analysis/text/text_search.h"
#include "schema/results/reader.h"
#include "service/answers/snapshot.h"

namespace benchhud::service {

enum class SearchKind : std::uint8_t {
  kModel,
  kSuite,
  kBackend,
  kAccelerator,
  kRun,
  kLabel,
  kAlert,
  kError,
  kArtifact,
  kMetric,
};
inline constexpr std::size_t kSearchKinds = 10;

/// "model", "suite", "backend", "accelerator", "run", "label", "alert", "error", "artifact",
/// "metric".
std::string_view search_kind_name(SearchKind kind);

struct SearchItem {
  std::string title;
  std::string context;  ///< a line that tells it from others
  /// When it was last there: seconds since 1970, UTC. Later ones come first.
  std::optional<double> at;
  /// What the address of its page is made of: names and values.
  std::vector<std::pair<std::string, std::string>> address;
  std::vector<schema::ExperimentId> experiments;  ///< of a model
  analysis::SearchText text{"", ""};
};

/// The signatures of errors and when they were last seen.
struct KnownError {
  std::string signature;
  analysis::ErrorKind kind = analysis::ErrorKind::kOther;
  std::size_t experiments = 0;
  double last_seen = 0;
};

/// Immutable; threads share it.
class SearchIndex {
 public:
  using Items = std::vector<SearchItem>;

  /// `before`, an index of an earlier state or null, lends what has not changed since. `errors` are
  /// those that can be found.
  static schema::Expected<SearchIndex> make(schema::Reader& reader, const Snapshot& snapshot,
                                            const std::vector<KnownError>& errors,
                                            const SearchIndex* before);

  const Items& items(SearchKind kind) const { return *items_[static_cast<std::size_t>(kind)]; }

 private:
  std::array<std::shared_ptr<const Items>, kSearchKinds> items_;
  std::int64_t revision_ = 0;  // of the state that it was made of
  std::uint64_t catalog_version_ = 0;
  schema::ArtifactId last_artifact_{0};
};

struct SearchHit {
  analysis::TextMatch match{};
  const SearchItem* item = nullptr;  ///< of the index
};

/// What was found of one kind, the best first: by how it fits, then the latest, then as listed.
struct SearchHits {
  SearchKind kind{};
  std::vector<SearchHit> hits;  ///< not empty
};

/// The kinds with the best hits first. Names that are but nearly what was typed are found only
/// where nothing else fits.
std::vector<SearchHits> search(const SearchIndex& index, const analysis::TextQuery& query);

}  // namespace benchhud::service
