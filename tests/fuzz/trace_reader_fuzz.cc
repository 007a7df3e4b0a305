// The reader of Chrome traces: never crashes, and says the same however the bytes are cut.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ingest/trace_reader.h"

namespace {

using benchhud::ingest::TraceReader;
using benchhud::schema::Trace;

void require(bool condition) {
  if (!condition) std::abort();
}

Trace read(std::string_view bytes, std::size_t piece) {
  TraceReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(bytes.substr(at, piece));
  return reader.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte says how the rest is cut.
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Trace whole = read(bytes, size);
  const Trace cut = read(bytes, std::size_t{1} + data[0] % 64);
  require(whole.events == cut.events && whole.broken == cut.broken);
  require(whole.unclosed == cut.unclosed && whole.unmatched == cut.unmatched);
  require(whole.problem_count == cut.problem_count);
  require(whole.slices.size() == cut.slices.size() && whole.flows.size() == cut.flows.size());
  for (std::size_t i = 0; i < whole.slices.size(); ++i) {
    const auto& a = whole.slices[i];
    const auto& b = cut.slices[i];
    require(a.start == b.start && a.duration == b.duration && a.duration >= 0);
    require(whole.name(a) == cut.name(b));
    require(a.thread < whole.threads.size() && a.args < whole.args.size());
  }
  for (std::size_t i = 0; i < whole.problems.size(); ++i) {
    require(whole.problems[i].offset == cut.problems[i].offset);
    require(whole.problems[i].reason == cut.problems[i].reason);
  }
  return 0;
}
