#include "ingest/pipeline/profile_hlo.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/xplane/hlo_modules.h"
#include "schema/db/text_store.h"

namespace benchhud::ingest {

using schema::Expected;

Expected<trace::TraceHlo> put_profile_hlo(schema::Connection& store, std::string_view bytes,
                                          trace::Trace* trace) {
  trace::TraceHlo hlo;
  schema::TextWriter texts(store);
  std::set<std::pair<std::int64_t, std::int64_t>> known;
  const auto take = [&](const XplaneHloModule& module) -> Expected<void> {
    BENCHHUD_ASSIGN(const schema::TextId text, texts.put(schema::pack_text(module.text)));
    BENCHHUD_ASSIGN(const std::int64_t id, trace::put_hlo_module(store, module.name, text));
    // Both files of a session may hold it.
    const trace::HloModuleUse use{id, module.program_id};
    if (known.emplace(use.module, use.program_id).second) hlo.modules.push_back(use);
    return {};
  };
  const auto report = [&](std::int64_t place, std::string_view reason) {
    trace->add_problem(place, reason);
  };
  BENCHHUD_ASSIGN(const XplaneHloFound found, read_xplane_hlo(bytes, take, report));
  hlo.llo_bytes = found.llo_bytes;
  hlo.unreadable = found.unreadable;
  hlo.left_out = found.left_out;
  return hlo;
}

}  // namespace benchhud::ingest
