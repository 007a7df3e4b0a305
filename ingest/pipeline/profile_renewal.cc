#include "ingest/pipeline/profile_renewal.h"

#include "ingest/pipeline/profile_hlo.h"
#include "ingest/xplane/xplane_trace.h"
#include "schema/db/text_store.h"
#include "trace/pack/trace_move.h"
#include "trace/trace_args.h"
#include "trace/trace_derived.h"
#include "trace/trace_index.h"
#include "trace/trace_nesting.h"
#include "trace/trace_queries.h"
#include "trace/xla_profile_store.h"

namespace benchhud::ingest {

using schema::Connection;
using schema::Expected;
using schema::TraceId;

Expected<ProfileRenewal> ProfileRenewal::make(Connection& store, TraceId trace,
                                              const XplaneFile& file,
                                              const SummarizeTrace& summarize) {
  ProfileRenewal renewal;
  auto opened = trace::OpenTrace::open(store, trace);
  if (!opened && trace::is_of_a_pack(opened.error())) return renewal;
  if (!opened) return std::move(opened).error();
  const trace::OpenTrace& data = renewal.stored_ = *std::move(opened);
  BENCHHUD_ASSIGN(const auto stored, trace::read_xla_profile(data.database(), data.number()));
  BENCHHUD_ASSIGN(const trace::TraceInfo info,
                  trace::TraceQueries(data.database(), data.number()).info());
  if (!stored || (summarize && info.lacks_derived_tracks)) {
    trace::PackedArgs args;
    renewal.profile_ = std::move(read_xplane(file.bytes(), &args, file.damage()).trace);
    if (summarize) {
      const trace::TraceNesting nesting = trace::nest(*renewal.profile_, trace::NestingRows::kYes);
      renewal.summary_ = summarize(*renewal.profile_, nesting);
    }
  }
  BENCHHUD_ASSIGN(const auto hlo, trace::trace_hlo(store, trace));
  if (!hlo) {
    BENCHHUD_ASSIGN(renewal.pack_, trace::TracePack::make(store));
    BENCHHUD_ASSIGN(renewal.hlo_, put_profile_hlo(renewal.pack_->database(), file.bytes(),
                                                  &renewal.hlo_problems_));
  }
  return renewal;
}

Expected<bool> ProfileRenewal::put(Connection& store, TraceId trace, schema::KnownArtifact* dump) {
  // What changes is in the store.
  if (profile_ || hlo_problems_.problem_count > 0) {
    BENCHHUD_ASSIGN(const auto taken, trace::take_back(store, trace, stored_));
    if (taken == trace::TakenBack::kIsElsewhere) return false;
  }
  if (profile_) BENCHHUD_TRY(put_profile(store, trace, dump->id));
  if (!hlo_) return true;
  // Another process may have added it meanwhile, and its problems.
  BENCHHUD_ASSIGN(const auto stored, trace::trace_hlo(store, trace));
  if (stored) return true;
  BENCHHUD_TRY(trace::add_trace_problems(store, trace, hlo_problems_));
  dump->problem_count += hlo_problems_.problem_count;
  BENCHHUD_ASSIGN(const trace::TraceHlo hlo, pack_->adopt_hlo(store, *hlo_));
  BENCHHUD_TRY(trace::put_trace_hlo(store, trace, hlo));
  return true;
}

Expected<void> ProfileRenewal::put_profile(Connection& store, TraceId trace,
                                           schema::ArtifactId dump) const {
  BENCHHUD_ASSIGN(const bool is_added, trace::add_xla_profile(store, trace, *profile_));
  if (!summary_) return {};
  BENCHHUD_ASSIGN(const bool has_tracks, put_missing_tracks(store, trace, *summary_));
  if (has_tracks) BENCHHUD_TRY(trace::index_trace(store, trace));
  if (!is_added) return {};
  schema::TextWriter texts(store);
  BENCHHUD_ASSIGN(const schema::TextId digest, texts.put(schema::pack_text(summary_->digest)));
  return schema::set_digest(store, dump, digest);
}

}  // namespace benchhud::ingest
