// The reader of Chrome traces: never crashes, loses no event, and says the same however the bytes
// are cut.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/trace/trace_builder.h"
#include "ingest/trace/trace_pipeline.h"
#include "ingest/trace/trace_reader.h"
#include "ingest/trace/trace_scanner.h"

namespace {

using benchhud::ingest::TraceReader;
using benchhud::trace::Trace;

void require(bool condition) {
  if (!condition) std::abort();
}

// Keeps all arguments in one text.
class ArgsText : public benchhud::trace::TraceArgsSink {
 public:
  std::uint64_t put(std::string_view json) override {
    require(json.size() >= 2 && json.front() == '{' && json.back() == '}');
    const std::uint64_t place = text.size();
    text += json;
    return place;
  }
  std::string text;
};

Trace read(std::string_view bytes, std::size_t piece, ArgsText* args) {
  TraceReader reader(args);
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(bytes.substr(at, piece));
  return reader.finish();
}

// As large traces are read.
Trace read_in_threads(std::string_view bytes, std::size_t piece, ArgsText* args) {
  benchhud::ingest::TraceBuilder builder(args);
  benchhud::ingest::TraceScanner scanner(&builder);
  {
    benchhud::ingest::TracePipeline pipeline(&scanner, &builder);
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      pipeline.feed(bytes.substr(at, piece));
    }
  }
  scanner.tell(&builder);
  scanner.finish();
  return builder.finish();
}

template <class Event>
void require_same(const Trace& whole, const Event& a, const Trace& cut, const Event& b) {
  require(whole.name(a) == cut.name(b) && whole.category(a) == cut.category(b));
  require(a.thread < whole.threads.size() && a.args < whole.args.size() && a.args == b.args);
  require(whole.args_of(a).packed == cut.args_of(b).packed);
  require(whole.args_of(a).correlation == cut.args_of(b).correlation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte says how the rest is cut.
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ArgsText whole_args, cut_args;
  const Trace whole = read(bytes, size, &whole_args);
  const std::size_t piece = std::size_t{1} + data[0] % 64;
  const bool in_threads = data[0] >= 192;  // not always: starting threads takes long
  const Trace cut =
      in_threads ? read_in_threads(bytes, piece, &cut_args) : read(bytes, piece, &cut_args);
  require(whole_args.text == cut_args.text);
  const auto kept = whole.slices.size() + whole.points.size();
  require(whole.events == static_cast<std::int64_t>(kept) + whole.pairs + whole.flow_events +
                              whole.fillers + whole.refused);
  require(whole.base_time == cut.base_time && whole.bandwidths.size() == cut.bandwidths.size());
  require(whole.events == cut.events && whole.broken == cut.broken);
  require(whole.unclosed == cut.unclosed && whole.unmatched == cut.unmatched);
  require(whole.problem_count == cut.problem_count);
  require(whole.slices.size() == cut.slices.size() && whole.flows.size() == cut.flows.size());
  for (std::size_t i = 0; i < whole.slices.size(); ++i) {
    const auto& a = whole.slices[i];
    const auto& b = cut.slices[i];
    require(a.start == b.start && a.duration == b.duration && a.duration >= 0);
    require_same(whole, a, cut, b);
  }
  require(whole.points.size() == cut.points.size());
  for (std::size_t i = 0; i < whole.points.size(); ++i) {
    const auto& a = whole.points[i];
    const auto& b = cut.points[i];
    require(a.time == b.time && a.phase == b.phase && a.id == b.id);
    require_same(whole, a, cut, b);
  }
  for (std::size_t i = 0; i < whole.problems.size(); ++i) {
    require(whole.problems[i].offset == cut.problems[i].offset);
    require(whole.problems[i].reason == cut.problems[i].reason);
  }
  return 0;
}
