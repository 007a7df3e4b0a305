#include "ingest/trace_reader.h"

#include <fmt/format.h>

#include <cstddef>

#include "ingest/source_file.h"
#include "ingest/trace_builder.h"
#include "ingest/trace_scanner.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::Trace;

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

}  // namespace

struct TraceReader::State {
  explicit State(schema::TraceArgsSink* sink) : builder(sink) {}

  TraceBuilder builder;
  TraceScanner scanner{&builder};
};

TraceReader::TraceReader(schema::TraceArgsSink* sink) : state_(std::make_unique<State>(sink)) {}
TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;

void TraceReader::feed(std::string_view bytes) { state_->scanner.feed(bytes); }

Trace TraceReader::finish(std::string_view damage) {
  state_->scanner.finish();
  if (!damage.empty()) state_->builder.problem(state_->scanner.offset(), damage);
  return state_->builder.finish();
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
