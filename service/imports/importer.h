// The one way in for files: they are taken into a store together with what is kept of them.
#pragma once

#include <string>

#include "ingest/pipeline/dump_ingest.h"
#include "ingest/pipeline/pipeline.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "service/alerts/alert_update.h"

namespace benchhud::service {

/// Takes files in (pipeline.h), of traces also their reports and marks (trace_digest.h). For
/// who takes in several times and finds alerts once behind all. Error: the store itself could not
/// be used.
schema::Expected<ingest::IngestResult> import_files(schema::Connection& store,
                                                    const ingest::Inputs& inputs,
                                                    ingest::IngestOptions options);

struct Import {
  ingest::IngestResult files;
  /// An error undoes nothing: the files are in the store, and the next import finds the alerts.
  schema::Expected<AlertUpdate> alerts;
};
/// The same, and then finds alerts in what the store has now.
schema::Expected<Import> import_and_find_alerts(schema::Connection& store,
                                                const ingest::Inputs& inputs,
                                                ingest::IngestOptions options);

/// Takes a single trace in, as what it says it is, in a transaction of its own. Errors: those of
/// the file, which names it; kUnsupported where it is no trace.
struct ImportedTrace {
  schema::TraceId trace{};
  std::int64_t problem_count = 0;  ///< parts that could not be read
};
schema::Expected<ImportedTrace> import_trace(schema::Connection& store, const std::string& file);

}  // namespace benchhud::service
