// A result named on a command line.
#pragma once

#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::cli {

/// The result that `text` names: RUN/EXPERIMENT with an experiment's id, or
/// RUN/MODEL/TEST/BACKEND[/BATCH SIZE]; RUN as Reader::find_run() takes it. Errors: kNotFound,
/// kAmbiguous where several batch sizes or suites fit, kInvalidArgument.
schema::Expected<schema::ArtifactResult> find_result(schema::Connection& store,
                                                     const std::string& text);

/// The same, as its line names it.
schema::Expected<schema::ResultKey> named_result(schema::Connection& store,
                                                 const std::string& text);

}  // namespace benchhud::cli
