// How a results file is read: its format, and what its lines do not say themselves.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ingest/results/foreign_format_line.h"
#include "ingest/results/line_reader.h"
#include "ingest/results/results_format.h"
#include "schema/base/errors.h"

namespace benchhud::ingest {

struct IngestOptions;

struct FileReading {
  ResultsFormat format = ResultsFormat::kRunner;
  std::optional<double> fallback_timestamp;  ///< of lines without one
  ImportContext given, named;                ///< by the command, and by the file's name

  /// What the meaning of its bytes depends on beside the bytes; "" where on nothing else.
  std::string context() const;
  std::unique_ptr<LineReader> make_reader() const;
};

/// Recognises the file by its content and name. Error: kIo.
schema::Expected<FileReading> reading_of(const std::string& path, const IngestOptions& options);

}  // namespace benchhud::ingest
