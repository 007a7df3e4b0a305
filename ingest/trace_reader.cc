#include "ingest/trace_reader.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <system_error>

#include "ingest/source_file.h"
#include "ingest/trace_build_thread.h"
#include "ingest/trace_builder.h"
#include "ingest/trace_scanner.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::Trace;

namespace {

constexpr std::size_t kPieceBytes = 1 << 18;
// Few enough to be in the processor's cache still when their events are built.
constexpr std::size_t kBatchBytes = 1 << 16;
// A shorter trace is read before a thread is worth its while.
constexpr std::int64_t kThreadFrom = 4 << 20;

}  // namespace

struct TraceReader::State {
  explicit State(schema::TraceArgsSink* sink) : builder(sink) {}

  void start_thread();

  TraceBuilder builder;
  TraceScanner scanner{&builder};
  std::unique_ptr<TraceBuildThread> thread;
  bool has_tried_thread = false;
};

void TraceReader::State::start_thread() {
  has_tried_thread = true;
  try {
    thread = std::make_unique<TraceBuildThread>(&builder);
    scanner.tell(thread.get());
  } catch (const std::system_error&) {
    // None to be had: it goes on as it began.
  }
}

TraceReader::TraceReader(schema::TraceArgsSink* sink) : state_(std::make_unique<State>(sink)) {}
TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;

void TraceReader::feed(std::string_view bytes) {
  State& state = *state_;
  while (!bytes.empty()) {
    if (!state.has_tried_thread && state.scanner.offset() >= kThreadFrom) state.start_thread();
    const std::string_view batch = bytes.substr(0, kBatchBytes);
    bytes.remove_prefix(batch.size());
    state.scanner.feed(batch);
    if (state.thread) state.thread->hand_over(&state.scanner);
  }
}

Trace TraceReader::finish(std::string_view damage) {
  State& state = *state_;
  state.scanner.finish();
  if (state.thread) state.thread->hand_over(&state.scanner);
  state.thread.reset();
  if (!damage.empty()) state.builder.problem(state.scanner.offset(), damage);
  return state.builder.finish();
}

bool TraceReader::has_list() const { return state_->scanner.has_list(); }

Expected<Trace> read_trace(const std::string& path, schema::TraceArgsSink* sink) {
  BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
  TraceReader reader(sink);
  std::string piece, damage;
  for (;;) {
    piece.clear();
    const Expected<std::size_t> count = file.read(kPieceBytes, &piece);
    if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
    if (!count) damage = count.error().message;
    if (piece.empty()) break;
    reader.feed(piece);
    if (!damage.empty()) break;
  }
  Trace trace = reader.finish(damage);
  if (!reader.has_list()) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} is no Chrome trace: there is no list of events in it", path)};
  }
  return trace;
}

}  // namespace benchhud::ingest
