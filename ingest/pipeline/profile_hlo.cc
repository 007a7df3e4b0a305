#include "ingest/pipeline/profile_hlo.h"

#include <string>
#include <utility>

#include "ingest/xplane/hlo_modules.h"
#include "schema/db/text_store.h"

namespace benchhud::ingest {

using schema::Expected;

Expected<trace::TraceHlo> put_profile_hlo(schema::Connection& store, std::string_view bytes,
                                          trace::Trace* trace) {
  trace::TraceHlo hlo;
  schema::TextWriter texts(store);
  const auto take = [&](const XplaneHloModule& module) -> Expected<void> {
    BENCHHUD_ASSIGN(const schema::TextId text, texts.put(schema::pack_text(module.text)));
    BENCHHUD_ASSIGN(const std::int64_t id, trace::put_hlo_module(store, module.name, text));
    hlo.modules.push_back({id, module.program_id});
    return {};
  };
  const auto report = [&](std::int64_t place, std::string reason) {
    if (trace == nullptr) return;
    ++trace->problem_count;
    if (trace->problems.size() < trace::Trace::kMostProblems) {
      trace->problems.push_back({place, std::move(reason)});
    }
  };
  BENCHHUD_ASSIGN(const XplaneHloFound found, read_xplane_hlo(bytes, take, report));
  hlo.llo_bytes = found.llo_bytes;
  return hlo;
}

}  // namespace benchhud::ingest
