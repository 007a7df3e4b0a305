#include "ingest/trace/trace_reader.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <system_error>

#include "ingest/text/file_kind.h"
#include "ingest/text/source_file.h"
#include "ingest/trace/trace_builder.h"
#include "ingest/trace/trace_pipeline.h"
#include "ingest/trace/trace_scanner.h"
#include "schema/base/caught_error.h"
#include "trace/pack/pack_file.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using trace::Trace;

namespace {

constexpr std::size_t kPieceBytes = 1 << 18;
// By so many a container is known.
constexpr std::size_t kBeginBytes = 4096;
// A shorter trace is read before threads are worth their while.
constexpr std::int64_t kPipelineFrom = 4 << 20;

}  // namespace

struct TraceReader::State {
  explicit State(trace::TraceArgsSink* sink) : builder(sink) {}

  void start_pipeline();

  TraceBuilder builder;
  TraceScanner scanner{&builder};
  std::unique_ptr<TracePipeline> pipeline;
  std::int64_t fed = 0;  // bytes
};

void TraceReader::State::start_pipeline() {
  try {
    pipeline = std::make_unique<TracePipeline>(&scanner, &builder);
  } catch (const std::system_error&) {
    // There are no more threads: it goes on as it began.
  }
}

TraceReader::TraceReader(trace::TraceArgsSink* sink) : state_(std::make_unique<State>(sink)) {}
TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;

void TraceReader::feed(std::string_view bytes) {
  State& state = *state_;
  const bool was_small = state.fed < kPipelineFrom;
  state.fed += static_cast<std::int64_t>(bytes.size());
  if (was_small && state.fed >= kPipelineFrom) state.start_pipeline();
  if (state.pipeline) return state.pipeline->feed(bytes);
  try {
    state.scanner.feed(bytes);
  } catch (const std::bad_alloc&) {
    state.builder.give_up(schema::kNoMemory);
  }
}

Trace TraceReader::finish(std::string_view damage) {
  State& state = *state_;
  if (state.pipeline) {
    const std::string failure = state.pipeline->finish();
    state.pipeline.reset();
    state.scanner.tell(&state.builder);
    if (!failure.empty()) state.builder.give_up(failure);
  }
  if (state.builder.refusal().empty()) state.scanner.finish();
  if (!damage.empty()) state.builder.problem(state.scanner.offset(), damage);
  return state.builder.finish();
}

bool TraceReader::has_list() const { return state_->scanner.has_list(); }
const std::string& TraceReader::refusal() const { return state_->builder.refusal(); }

Expected<Trace> read_trace(SourceFile file, trace::TraceArgsSink* sink) {
  TraceReader reader(sink);
  std::string piece, damage, begin;
  for (;;) {
    piece.clear();
    const Expected<std::size_t> count = file.read(kPieceBytes, &piece);
    if (!count && count.error().code != ErrorCode::kCorrupt) return count.error();
    if (!count) damage = count.error().message;
    if (piece.empty()) break;
    reader.feed(piece);
    if (begin.empty()) begin = piece.substr(0, kBeginBytes);
    if (!damage.empty()) break;
  }
  Trace trace = reader.finish(damage);
  if (!reader.refusal().empty()) {
    return Error{ErrorCode::kTooLarge, fmt::format("{}: {}", file.name(), reader.refusal())};
  }
  if (!reader.has_list()) {
    if (trace::is_pack(begin)) {
      return Error{
          ErrorCode::kUnsupported,
          fmt::format("{} is a pack of a trace: from a pipe these are not read, save it as "
                      "a file",
                      file.name())};
    }
    if (const auto container = unread_container(begin)) {
      return Error{ErrorCode::kUnsupported, fmt::format("{} is {}", file.name(), *container)};
    }
    if (is_xplane(begin)) {
      return Error{
          ErrorCode::kUnsupported,
          fmt::format("{} is an XPlane profile of XLA: from a pipe these are not read, save "
                      "it as a file",
                      file.name())};
    }
    std::string message =
        fmt::format("{} is no Chrome trace: there is no list of events in it", file.name());
    if (!damage.empty()) message += "; " + damage;
    return Error{ErrorCode::kUnsupported, std::move(message)};
  }
  return trace;
}

Expected<Trace> read_trace(const std::string& path, trace::TraceArgsSink* sink) {
  BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
  return read_trace(std::move(file), sink);
}

}  // namespace benchhud::ingest
