#include "ingest/pipeline/parsing_thread.h"

#include <exception>
#include <system_error>
#include <utility>

#include "ingest/pipeline/time_shift.h"
#include "schema/base/caught_error.h"

namespace benchhud::ingest {

using schema::Expected;

void BytesUnderWay::add(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes;
}

void BytesUnderWay::remove(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ -= bytes;
  changed_.notify_all();
}

void BytesUnderWay::wait_for_at_most(std::size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || bytes_ <= bytes; });
}

void BytesUnderWay::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

ParsingThread::ParsingThread(SourceFile file, std::unique_ptr<LineReader> lines,
                             std::int64_t shift_weeks)
    : reader_(std::move(file)), lines_(std::move(lines)), shift_weeks_(shift_weeks) {
  for (std::size_t i = 0; i < kChunks; ++i) (void)empty_.push(std::make_unique<ParsedChunk>());
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // There are no more threads: next() does the work itself.
  }
}

ParsingThread::~ParsingThread() {
  under_way_.close();
  empty_.close();
  parsed_.close();
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<ParsedChunk> ParsingThread::next() {
  if (!thread_.joinable()) return parse(std::move(*empty_.pop()));
  auto chunk = parsed_.pop();
  return chunk ? std::move(*chunk) : nullptr;
}

void ParsingThread::give_back(std::unique_ptr<ParsedChunk> chunk) {
  const std::size_t counted = chunk->byte_count;
  recycle(chunk.get());
  under_way_.remove(counted);
  (void)empty_.push(std::move(chunk));
}

void ParsingThread::run() {
  while (auto empty = empty_.pop()) {
    auto chunk = parse(std::move(*empty));
    if (!chunk || !parsed_.push(std::move(chunk))) break;
  }
  parsed_.close();
}

// Fills a chunk; nothing at the end or after an error. Nothing that is thrown leaves the thread.
std::unique_ptr<ParsedChunk> ParsingThread::parse(std::unique_ptr<ParsedChunk> chunk) {
  if (!status_) return nullptr;
  try {
    return fill(std::move(chunk));
  } catch (const std::exception&) {
    status_ = schema::caught_error();
  }
  return nullptr;
}

std::unique_ptr<ParsedChunk> ParsingThread::fill(std::unique_ptr<ParsedChunk> chunk) {
  under_way_.wait_for_at_most(kMostUnderWay);
  if (!is_read_) {
    Expected<bool> more = lines_->wants_whole_lines() ? reader_.next(&chunk->chunk)
                                                      : reader_.next_piece(&chunk->chunk);
    if (more) {
      is_read_ = !*more;
    } else {
      status_ = std::move(more).error();
    }
  }
  if (has_large_line(chunk->chunk)) under_way_.wait_for_at_most(0);
  if (status_) status_ = is_read_ ? lines_->finish(chunk.get()) : lines_->parse(chunk.get());
  if (!status_ || (is_read_ && chunk->line_count == 0)) return nullptr;
  shift_times(shift_weeks_, chunk.get());
  prepare_lines(chunk.get());
  chunk->byte_count = memory_of(*chunk);
  under_way_.add(chunk->byte_count);
  return chunk;
}

}  // namespace benchhud::ingest
