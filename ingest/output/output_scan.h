// The runner's output directories below a folder, and whether they are being written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ingest/output/output_dir.h"
#include "schema/base/content_hash.h"
#include "schema/base/errors.h"

namespace benchhud::ingest {

struct ScanOptions {
  std::string
      done_file;  ///< the runner writes a file of this name when it is done; "": it does not
  std::string label_file;  ///< the name of files with labels; "": there are none
};

/// A folder with results files in it, the runner's or a neighbour's, and all that lies in the
/// folders below it, but for those that are output directories themselves.
struct OutputDir {
  std::string path;
  Inputs files;
  std::vector<std::string> label_files;  ///< from the folder that was scanned down to this one
  /// Of the names, sizes and times of all these files. The same as long as nothing changes.
  schema::ContentHash state;
  double changed_at = 0;     ///< when one of them last changed, in seconds since 1970
  bool has_marker = false;   ///< the runner's file that says that it is done is there
  bool is_complete = false;  ///< and was written after all others, which end with a whole line
  /// It cannot be read, and is in no output directory. A folder in one that cannot be read is among
  /// its files.unreadable.
  std::optional<schema::Error> error;
};

/// The output directories in `folder`, itself among them, by path. A folder in it that cannot be
/// read is in the list too, with its error. Folders that are links are not entered. Error: kIo,
/// kNotFound where `folder` itself cannot be read.
schema::Expected<std::vector<OutputDir>> scan_outputs(const std::string& folder,
                                                      const ScanOptions& options);

}  // namespace benchhud::ingest
