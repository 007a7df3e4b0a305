#include "ingest/profiles/dump_kind.h"

#include "ingest/profiles/dump_text.h"
#include "ingest/text/file_kind.h"
#include "ingest/torch_trace/torch_trace_reader.h"
#include "ingest/trace/trace_reader.h"
#include "trace/pack/pack_file.h"

namespace benchhud::ingest {

using schema::ArtifactKind;

std::optional<ArtifactKind> dump_kind_of(std::string_view beginning) {
  if (is_xplane(beginning) || trace::is_pack(beginning)) return ArtifactKind::kTrace;
  if (is_torch_trace(beginning)) return ArtifactKind::kTorchTrace;
  TraceReader reader;
  reader.feed(beginning);
  // Any text in brackets has the look of a list; one with events in it is a trace.
  const trace::Trace trace = reader.finish();
  if (reader.has_list() && trace.events > trace.refused + trace.fillers) {
    return ArtifactKind::kTrace;
  }
  if (const auto text = read_dump_text(beginning)) return text->kind();
  return std::nullopt;
}

}  // namespace benchhud::ingest
