#include "trace/answers/trace_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trace/trace_access.h"
#include "trace/trace_span.h"

namespace benchhud::trace {
namespace {

class StackBuilder {
 public:
  StackBuilder(schema::Connection& connection, schema::TraceId trace, std::uint32_t thread,
               std::int64_t begin, std::int64_t end, std::size_t most,
               std::vector<StackSlice>* slices)
      : window_{begin, end},
        most_(most),
        slices_(*slices),
        connection_(connection),
        trace_(trace),
        thread_(thread),
        access_(connection, trace, thread) {}

  schema::Expected<void> build() {
    BENCHHUD_ASSIGN(stack_rows_, stack_rows_of(connection_, trace_, thread_));
    return access_.for_each_segment(
        {window_.begin, window_.end},
        [&](std::size_t, const TraceSegment& segment) -> schema::Expected<void> {
          if (row_ != segment.row) begin_row(segment.row);
          BENCHHUD_ASSIGN(const auto slices, access_.slices_of(segment));
          for (const ChunkSlice& slice : slices) BENCHHUD_TRY(add(slice));
          return {};
        });
  }

 private:
  struct Open {
    std::int64_t begin, end;
    std::uint32_t place;
  };

  void begin_row(std::uint32_t row) {
    const bool follows = row_ && row == *row_ + 1;
    const bool is_first = std::binary_search(stack_rows_.begin(), stack_rows_.end(), row);
    above_ = follows && !is_first ? std::move(current_) : std::vector<Open>();
    current_.clear();
    next_above_ = 0;
    row_ = row;
  }

  schema::Expected<void> add(const ChunkSlice& slice) {
    if (!window_.overlaps(slice)) return {};
    if (slices_.size() >= most_) {
      return schema::Error{
          schema::ErrorCode::kTooLarge,
          fmt::format("There are more than {} slices: choose a shorter window, or fewer "
                      "tracks.",
                      most_)};
    }
    while (next_above_ < above_.size() && above_[next_above_].end < slice.end()) ++next_above_;
    const bool has_parent = next_above_ < above_.size() && above_[next_above_].begin <= slice.begin;
    const auto place = static_cast<std::uint32_t>(slices_.size());
    slices_.push_back(
        {slice.label, has_parent ? above_[next_above_].place : kNoParent, window_.part_of(slice)});
    current_.push_back({slice.begin, slice.end(), place});
    return {};
  }

  TraceSpan window_;
  std::size_t most_;
  std::vector<StackSlice>& slices_;
  schema::Connection& connection_;
  schema::TraceId trace_;
  std::uint32_t thread_;
  ThreadAccess access_;
  std::vector<std::uint32_t> stack_rows_;
  std::optional<std::uint32_t> row_;
  std::vector<Open> above_, current_;  // of the row before, and of the row
  std::size_t next_above_ = 0;
};

}  // namespace

schema::Expected<void> add_stacks(schema::Connection& connection, schema::TraceId trace,
                                  std::uint32_t thread, std::int64_t begin, std::int64_t end,
                                  std::size_t most, std::vector<StackSlice>* slices) {
  return StackBuilder(connection, trace, thread, begin, end, most, slices).build();
}

}  // namespace benchhud::trace
