// Reads and parses a results file in a thread of its own, while its lines are written to the store.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "ingest/results/line_reader.h"
#include "ingest/results/parsed_chunk.h"
#include "ingest/text/bounded_queue.h"
#include "ingest/text/source_file.h"

namespace benchhud::ingest {

/// Counts the bytes of what was parsed and is not written yet.
class BytesUnderWay {
 public:
  void add(std::size_t bytes);
  void remove(std::size_t bytes);
  /// Waits until there are at most so many, or close() was called.
  void wait_for_at_most(std::size_t bytes);
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

/// Chunks come in the file's order. Memory: one chunk that is being parsed and chunks of at most
/// kMostUnderWay bytes that wait to be written; a chunk with a large line is alone.
class ParsingThread {
 public:
  static constexpr std::size_t kMostUnderWay = std::size_t{24} << 20;

  /// Where no thread is to be had, next() does the work itself.
  ParsingThread(SourceFile file, std::unique_ptr<LineReader> lines, std::int64_t shift_weeks);
  ~ParsingThread();

  /// The next chunk, or nothing at the end or after an error.
  std::unique_ptr<ParsedChunk> next();
  /// Gives a chunk back to be filled again.
  void give_back(std::unique_ptr<ParsedChunk> chunk);

  // What follows is valid once next() has given nothing.
  const schema::Expected<void>& status() const { return status_; }
  const ChunkReader& reader() const { return reader_; }

 private:
  void run();
  std::unique_ptr<ParsedChunk> parse(std::unique_ptr<ParsedChunk> chunk);
  std::unique_ptr<ParsedChunk> fill(std::unique_ptr<ParsedChunk> chunk);

  // Chunks between the two threads. Three keep both busy.
  static constexpr std::size_t kChunks = 3;

  ChunkReader reader_;
  const std::unique_ptr<LineReader> lines_;
  const std::int64_t shift_weeks_;
  bool is_read_ = false;  // to its end
  BytesUnderWay under_way_;
  BoundedQueue<std::unique_ptr<ParsedChunk>> empty_{kChunks};
  BoundedQueue<std::unique_ptr<ParsedChunk>> parsed_{kChunks};
  schema::Expected<void> status_;
  std::thread thread_;
};

}  // namespace benchhud::ingest
