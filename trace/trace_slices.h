// Writes a trace's slices into the store as they come, with the levels above them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace_chunk.h"
#include "trace/trace_pyramid.h"

namespace benchhud::trace {

/// What a writer has seen of a thread.
struct ThreadExtent {
  std::uint64_t slices = 0;
  std::uint64_t rows = 0;
  std::int64_t begin = 0, end = 0;  ///< ns; of the first and of the one that ends last
};

/// A group has the levels above so many chunks, or of as many as there are with that many segments.
inline constexpr std::size_t kChunksAGroup = 256;
inline constexpr std::size_t kSegmentsAGroup = 4096;

/// Takes slices thread by thread, row by row, by time. Keeps a chunk of them and the levels above
/// up to 256 chunks in memory.
class TraceSliceWriter {
 public:
  TraceSliceWriter(schema::Connection& connection, schema::TraceId trace)
      : connection_(connection), trace_(trace) {}

  /// Errors: kInvalidArgument where one is out of order, overlaps the one before it in its row, or
  /// ends later than 64 bits can say; the store's.
  schema::Expected<void> add(std::uint32_t thread, const ChunkSlice& slice,
                             const SliceExtra& extra);
  /// Behind the last slice.
  schema::Expected<void> finish();

  std::uint64_t count() const { return count_; }
  ThreadExtent extent(std::uint32_t thread) const {
    return thread < extents_.size() ? extents_[thread] : ThreadExtent();
  }

 private:
  schema::Expected<void> write_chunk(std::size_t size);
  schema::Expected<void> write_group();
  schema::Expected<void> finish_thread();

  schema::Connection& connection_;
  schema::TraceId trace_;
  std::uint64_t count_ = 0;
  std::vector<ThreadExtent> extents_;
  // Of the thread that is being written.
  std::uint32_t thread_ = 0;
  std::uint64_t chunks_ = 0, groups_ = 0;
  std::vector<ChunkSlice> slices_;  // of no chunk yet
  std::vector<SliceExtra> extras_;
  std::optional<ChunkSlice> last_;
  // Of the chunks that are in no group yet.
  std::size_t chunks_in_group_ = 0;
  std::vector<TraceSegment> segments_;
  std::vector<TraceNode> nodes_;
};

}  // namespace benchhud::trace
