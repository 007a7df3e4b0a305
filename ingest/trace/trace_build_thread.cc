#include "ingest/trace/trace_build_thread.h"

#include <exception>
#include <optional>
#include <utility>

#include "schema/base/caught_error.h"

namespace benchhud::ingest {
namespace {

constexpr std::size_t kBatches = 6;

// Of batches that wait to be built.
constexpr std::size_t kMostWaitingBytes = std::size_t{16} << 20;

// Memory that a batch keeps for the next one; what a long event or many short ones took goes.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

template <class T>
void clear_and_keep_some(std::vector<T>* items) {
  items->clear();
  if (items->capacity() * sizeof(T) > kKeptBytes) items->shrink_to_fit();
}

}  // namespace

void TraceBuildThread::Batch::clear() {
  clear_and_keep_some(&bytes);
  clear_and_keep_some(&events);
  clear_and_keep_some(&notes);
}

TraceBuildThread::TraceBuildThread(TraceBuilder* builder)
    : builder_(builder), found_(kBatches, kMostWaitingBytes), built_(kBatches) {
  for (std::size_t i = 1; i < kBatches; ++i) built_.push({});
  thread_ = std::thread([this] { run(); });
}

TraceBuildThread::~TraceBuildThread() {
  found_.close();
  thread_.join();
}

RawTraceEvent* TraceBuildThread::begin_event() { return &batch_.events.emplace_back(); }

void TraceBuildThread::end_event(bool is_whole) {
  if (!is_whole) batch_.events.pop_back();
}

void TraceBuildThread::on_broken(std::int64_t offset, std::string_view reason) {
  batch_.notes.push_back({std::nullopt, batch_.events.size(), offset, std::string(reason)});
}

void TraceBuildThread::on_number(TraceNumber number, std::int64_t offset, std::string_view text) {
  batch_.notes.push_back({number, batch_.events.size(), offset, std::string(text)});
}

void TraceBuildThread::hand_over(TraceScanner* scanner) {
  if (batch_.events.empty() && batch_.notes.empty()) return;
  scanner->exchange_bytes(&batch_.bytes);
  const std::size_t bytes =
      batch_.bytes.capacity() + batch_.events.capacity() * sizeof(RawTraceEvent);
  found_.push(std::move(batch_), bytes);
  batch_ = *built_.pop();
}

void TraceBuildThread::run() {
  while (std::optional<Batch> batch = found_.pop()) {
    // Nothing that is thrown leaves the thread; the scanner's batches are taken to the end.
    try {
      build(*batch, builder_);
    } catch (const std::exception&) {
      builder_->give_up(schema::caught_error().message);
    }
    batch->clear();
    built_.push(std::move(*batch));
  }
}

void TraceBuildThread::build(const Batch& batch, TraceBuilder* builder) {
  std::size_t next = 0;
  const auto events_to = [&](std::size_t end) {
    for (; next < end; ++next) builder->add(batch.events[next]);
  };
  for (const Note& note : batch.notes) {
    events_to(note.place);
    if (note.number) {
      builder->on_number(*note.number, note.offset, note.text);
    } else {
      builder->on_broken(note.offset, note.text);
    }
  }
  events_to(batch.events.size());
}

}  // namespace benchhud::ingest
