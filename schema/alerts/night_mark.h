// Nights that are not like others, as people said. A mark is kept by the name of the night's run:
// it goes along when the run is renamed or merged, and when the run is deleted it stays and holds
// again as soon as there is a run of that name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

enum class NightMarkKind : std::uint8_t {
  kExcluded,     ///< its measurements do not count
  kEnvironment,  ///< from it on something other than what is measured is different: driver, host
  kPinned,       ///< levels are held against it: a release
};

/// "excluded", "environment", "pinned".
std::string_view night_mark_kind_name(NightMarkKind kind);
std::optional<NightMarkKind> night_mark_kind_of(std::string_view name);

struct NightMark {
  std::string accelerator_model;
  std::string name;  ///< of the run; there need not be one now
  NightMarkKind kind = NightMarkKind::kExcluded;
  std::string reason;
  std::string who;
  double at = 0;                     ///< when it was marked: seconds since 1970, UTC
  std::optional<std::string> token;  ///< name of the token that was shown; none: the command line
};

/// All marks, or those on one accelerator model, by accelerator model and name.
Expected<std::vector<NightMark>> night_marks(
    Connection& connection, std::optional<std::string_view> accelerator_model = {});
/// Of marks on the run's accelerator model those of the run, in the same order.
std::vector<NightMark> marks_of(const Run& run, std::span<const NightMark> marks);

/// What is to be said of runs.
struct NewNightMark {
  NightMarkKind kind = NightMarkKind::kExcluded;
  std::string_view reason, who;
  std::optional<std::string_view> token;  ///< name of the token that was shown
};

/// Marks runs, each once; a mark of that kind that one has is replaced. One transaction, with a
/// line in the audit for each. Error: kTooLarge for a reason or a name of more than kMostLineBytes
/// (text_limits.h).
Expected<void> mark_nights(Connection& connection, std::span<const Run> runs,
                           const NewNightMark& mark);

/// Those of `runs` that have no such mark.
Expected<std::vector<Run>> runs_without_mark(Connection& connection, std::vector<Run> runs,
                                             NightMarkKind kind);

/// Takes marks away. One transaction, with a line in the audit for each. Error: kNotFound if one of
/// the runs has no such mark; then all are as before.
Expected<void> unmark_nights(Connection& connection, std::span<const Run> runs, NightMarkKind kind);

}  // namespace benchhud::schema
