#include "ingest/pipeline/trace_file.h"

#include "ingest/trace/trace_reader.h"
#include "ingest/xplane/xplane_file.h"
#include "ingest/xplane/xplane_trace.h"

namespace benchhud::ingest {

schema::Expected<trace::Trace> read_trace_file(const std::string& path,
                                               trace::TraceArgsSink* sink) {
  BENCHHUD_ASSIGN(const bool is_xplane, is_xplane_file(path));
  return is_xplane ? read_xplane_file(path, sink) : read_trace(path, sink);
}

}  // namespace benchhud::ingest
