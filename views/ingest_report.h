// What became of the files of an ingest, as JSON: what an upload is answered with, and what
// `benchhud ingest --format json` prints.
#pragma once

#include <optional>
#include <string>

#include "ingest/pipeline/pipeline.h"
#include "schema/base/json_writer.h"
#include "schema/results/reader.h"

namespace benchhud::views {

struct IngestReportOptions {
  /// The store's path, for the command line.
  std::optional<std::string> store;
  /// Files by the last part of their paths: whoever sent one knows nothing of where it was kept.
  bool names_only = false;
};

/// The contract's IngestReport. A file that could not be taken in has its path and `error` alone.
void write_ingest_report(schema::JsonWriter& json, const ingest::IngestResult& result,
                         schema::Reader& reader, const IngestReportOptions& options);

}  // namespace benchhud::views
