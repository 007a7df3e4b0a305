// By what a file that was read is known to be unchanged.
#pragma once

#include <string>

#include "schema/base/errors.h"
#include "schema/model/artifact.h"

namespace benchhud::ingest {

/// Size and time of a file as they are now. Error: kIo.
schema::Expected<schema::FileStamp> stamp_of(const std::string& path);

}  // namespace benchhud::ingest
