// What a copy of a store holds, in words.
#pragma once

#include <string>

#include "analysis/text/quantity_text.h"
#include "schema/base/time.h"
#include "schema/store/store_backup.h"

namespace benchhud::cli {

/// "28 runs up to 2025-11-28T00:03:41Z".
inline std::string runs_text(const schema::StoreCopy& copy) {
  std::string text = analysis::count_text(copy.runs, "run");
  if (copy.newest_run) text += " up to " + schema::format_time(*copy.newest_run);
  return text;
}

}  // namespace benchhud::cli
