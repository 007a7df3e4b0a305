// What an older version of the program did not read of an XPlane profile that the store has.
#pragma once

#include <optional>
#include <utility>

#include "ingest/pipeline/prepared_trace.h"
#include "ingest/xplane/xplane_file.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "schema/results/artifact_writer.h"
#include "trace/pack/open_trace.h"
#include "trace/pack/trace_pack.h"
#include "trace/trace.h"
#include "trace/trace_hlo.h"

namespace benchhud::ingest {

class ProfileRenewal {
 public:
  /// Reads what the store lacks of the trace of this file: nothing, where that was moved and cannot
  /// be read now. `summarize` may be null; then no tracks are derived. Errors: kCorrupt; the
  /// store's.
  static schema::Expected<ProfileRenewal> make(schema::Connection& store, schema::TraceId trace,
                                               const XplaneFile& file,
                                               const SummarizeTrace& summarize);

  /// Adds it to the trace, and its new digest and problems to the dump. The caller holds the write
  /// transaction. False, with nothing done: the trace was moved meanwhile, and the renewal has to
  /// be made again.
  schema::Expected<bool> put(schema::Connection& store, schema::TraceId trace,
                             schema::KnownArtifact* dump);

 private:
  schema::Expected<void> put_profile(schema::Connection& store, schema::TraceId trace,
                                     schema::ArtifactId dump) const;

  std::optional<trace::Trace> profile_;  // read again; none: the store has what it says
  std::optional<TraceSummary> summary_;  // of it
  trace::OpenTrace stored_;              // where it was then
  std::optional<trace::TracePack> pack_;
  std::optional<trace::TraceHlo> hlo_;  // by the pack's numbers; none: the store has it
  trace::Trace hlo_problems_;
};

}  // namespace benchhud::ingest
