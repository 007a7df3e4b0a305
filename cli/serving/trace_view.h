// benchhud trace view: a trace file in the browser, without a store.
#pragma once

#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "server/http/http.h"

namespace benchhud::cli {

struct ViewRequest {
  std::vector<std::string> files;  ///< one, or two to be shown beside each other
  server::HttpOptions listen;
  bool opens_browser = true;  ///< where there is a screen
};

/// Imports the files into a store of their own in the folder for temporary files, serves it until
/// SIGINT or SIGTERM comes, and removes it. Prints the page's address on a line of its own. Errors:
/// kUnsupported where a file is no trace; kIo.
schema::Expected<void> view_traces(const ViewRequest& request);

}  // namespace benchhud::cli
