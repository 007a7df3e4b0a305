// A dump of any kind that two nights can be compared by.
#pragma once

#include <string>
#include <vector>

#include "analysis/profiles/profile_sections.h"
#include "schema/base/errors.h"

namespace benchhud::cli {

struct ProfileFile {
  std::string kind;  ///< ingest::dump_kind_words()
  std::vector<analysis::ProfileSection> sections;
  std::vector<std::string> problems;
};

/// Reads a Chrome trace, an XPlane profile or whatever read_dump_text() takes, known by its
/// content; gzip or plain. Errors: kIo, kCorrupt; kUnsupported where it is none of these, or a text
/// beyond 256 MB.
schema::Expected<ProfileFile> read_profile_file(const std::string& path);

}  // namespace benchhud::cli
