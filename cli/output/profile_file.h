// A dump of any kind that two nights can be compared by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/compilation_diff.h"
#include "analysis/profiles/profile_sections.h"
#include "schema/base/errors.h"

namespace benchhud::cli {

/// A TORCH_TRACE log with the texts that it names: TextId counts them from 0, each
/// distinct one once.
struct CompilationLogFile {
  analysis::CompilationLog log;
  std::vector<std::string> texts;
};

struct ProfileFile {
  std::string kind;  ///< ingest::dump_kind_words()
  std::vector<analysis::ProfileSection> sections;
  std::vector<std::string> problems;
  std::optional<CompilationLogFile> compilations = {};  ///< of a TORCH_TRACE log
};

/// Compares two logs of TORCH_TRACE.
schema::Expected<analysis::CompilationDiff> compare_logs(const CompilationLogFile& before,
                                                         CompilationLogFile after);

/// Reads a Chrome trace, an XPlane profile, a pack of either, a log of TORCH_TRACE or whatever
/// read_dump_text() takes, known by its content; gzip or plain. Errors: kIo, kCorrupt; kUnsupported
/// where it is none of these, or a text beyond 256 MB.
schema::Expected<ProfileFile> read_profile_file(const std::string& path);

}  // namespace benchhud::cli
