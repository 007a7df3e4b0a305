// The changes of a file of series, for people and for programs.
#pragma once

#include <span>
#include <string>

#include "analysis/changes/series_changes.h"
#include "ingest/results/series_csv.h"

namespace benchhud::cli {

/// A row a change, in columns, and a last line that counts. `changes`: of each series of `read`, in
/// its order.
std::string changes_table(const ingest::SeriesCsv& read,
                          std::span<const analysis::SeriesChanges> changes);

/// All that is known, a line a series; keys and meanings: docs/formats.md.
std::string changes_json(const ingest::SeriesCsv& read,
                         std::span<const analysis::SeriesChanges> changes);

}  // namespace benchhud::cli
