// A dump of any kind that two nights can be compared by.
#pragma once

#include <string>
#include <vector>

#include "analysis/profile_sections.h"
#include "schema/errors.h"

namespace benchhud::cli {

struct ProfileFile {
  std::string kind;  ///< "operator table", "metrics report", "dynamo counters", "trace"
  std::vector<analysis::ProfileSection> sections;
  std::vector<std::string> problems;
};

/// Reads a key_averages() table (of several in a row the mean), a metrics report, dynamo counters
/// or a Chrome trace, known by its content; gzip or plain. Errors: kIo, kCorrupt; kUnsupported
/// where it is none of these.
schema::Expected<ProfileFile> read_profile_file(const std::string& path);

}  // namespace benchhud::cli
