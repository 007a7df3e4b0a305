#include "trace/trace_nesting.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "trace/merge_runs.h"

namespace benchhud::trace {

namespace {

// Rows in which slices that overlap are looked after, a thread; those that overlap even more stand
// alone, for the time must not grow with the square of what a hostile file holds.
constexpr std::uint32_t kMostStacks = 64;

// Rows of slices within slices.
struct Stack {
  std::vector<std::uint32_t> open;  // slices that have not ended, the outermost first
  std::size_t deepest = 0;
};

// TraceNesting::order.
std::vector<std::uint32_t> order_of(const Trace& trace) {
  const auto& slices = trace.slices;
  std::vector<std::size_t> ends(trace.threads.size() + 1);  // of each thread's part, from [1] on
  for (const TraceSlice& slice : slices) ++ends[slice.thread + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> order(slices.size());
  // Each thread's place moves from the beginning of its part to the end.
  std::uint32_t index = 0;
  for (const TraceSlice& slice : slices) order[ends[slice.thread]++] = index++;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const TraceSlice& x = slices[a];
    const TraceSlice& y = slices[b];
    if (x.start != y.start) return x.start < y.start;
    if (x.duration != y.duration) return x.duration > y.duration;
    return a < b;
  };
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    if (begin < end) merge_runs(order.data() + begin, order.data() + end, before);
    begin = std::max(begin, end);
  }
  return order;
}

class Nester {
 public:
  Nester(const Trace& trace, NestingRows rows, TraceNesting* nesting)
      : trace_(trace), has_rows_(rows == NestingRows::kYes), nesting_(*nesting) {}

  void place(std::uint32_t index) {
    const TraceSlice& slice = trace_.slices[index];
    for (Stack& stack : stacks_) {
      while (!stack.open.empty() && end_of(stack.open.back()) <= slice.start) stack.open.pop_back();
    }
    for (std::uint32_t i = 0; i < stacks_.size(); ++i) {
      if (stacks_[i].open.empty() || slice.end() <= end_of(stacks_[i].open.back())) {
        nesting_.overlaps += i > 0;
        return push(index, i);
      }
    }
    nesting_.overlaps += !stacks_.empty();
    if (stacks_.size() < kMostStacks) {
      stacks_.emplace_back();
      return push(index, static_cast<std::uint32_t>(stacks_.size() - 1));
    }
    stand_alone(index);
  }

  void finish_thread(const std::uint32_t* begin, const std::uint32_t* end) {
    if (has_rows_ && begin != end) put_rows(begin, end);
    stacks_.clear();
    alone_ = {};
    alone_count_ = 0;
  }

 private:
  std::int64_t end_of(std::uint32_t index) const { return trace_.slices[index].end(); }

  // Now that it is known how deep each stack is, a row within a stack becomes one of the thread.
  void put_rows(const std::uint32_t* begin, const std::uint32_t* end) {
    const std::uint32_t thread = trace_.slices[*begin].thread;
    std::vector<std::uint32_t>& first_rows = nesting_.stack_rows[thread];
    std::uint32_t rows = 0;
    for (const Stack& stack : stacks_) {
      first_rows.push_back(rows);
      rows += static_cast<std::uint32_t>(stack.deepest);
    }
    for (const std::uint32_t* slice = begin; slice != end; ++slice) {
      std::uint32_t& row = nesting_.row[*slice];
      row = row >= kMostStacks ? rows + row - kMostStacks
                               : first_rows[row] + nesting_.depth[*slice] - 1;
    }
    for (std::uint32_t i = 0; i < alone_count_; ++i) first_rows.push_back(rows++);
    nesting_.row_counts[thread] = rows;
  }

  // Until the thread's end `row` is the stack's number, and from kMostStacks on a row of slices
  // that stand alone.
  void push(std::uint32_t index, std::uint32_t stack_number) {
    Stack& stack = stacks_[stack_number];
    if (!stack.open.empty()) nesting_.parent[index] = stack.open.back();
    stack.open.push_back(index);
    stack.deepest = std::max(stack.deepest, stack.open.size());
    if (has_rows_) nesting_.row[index] = stack_number;
    nesting_.depth[index] = static_cast<std::uint32_t>(stack.open.size());
    nesting_.max_depth = std::max(nesting_.max_depth, nesting_.depth[index]);
  }

  void stand_alone(std::uint32_t index) {
    if (has_rows_) {
      std::uint32_t row = alone_count_;
      if (!alone_.empty() && alone_.top().first <= trace_.slices[index].start) {
        row = alone_.top().second;
        alone_.pop();
      } else {
        ++alone_count_;
      }
      alone_.emplace(end_of(index), row);
      nesting_.row[index] = kMostStacks + row;
    }
    nesting_.depth[index] = 1;
    nesting_.max_depth = std::max(nesting_.max_depth, 1U);
  }

  const Trace& trace_;
  const bool has_rows_;
  TraceNesting& nesting_;
  std::vector<Stack> stacks_;
  // Rows of slices that stand alone, by when their last one ends.
  using FreeRow = std::pair<std::int64_t, std::uint32_t>;
  std::priority_queue<FreeRow, std::vector<FreeRow>, std::greater<>> alone_;
  std::uint32_t alone_count_ = 0;
};

}  // namespace

TraceNesting nest(const Trace& trace, NestingRows rows) {
  const auto& slices = trace.slices;
  TraceNesting nesting;
  nesting.order = order_of(trace);
  nesting.parent.assign(slices.size(), kNoSlice);
  nesting.depth.assign(slices.size(), 0);
  if (rows == NestingRows::kYes) {
    nesting.row.assign(slices.size(), 0);
    nesting.row_counts.assign(trace.threads.size(), 0);
    nesting.stack_rows.resize(trace.threads.size());
  }
  Nester nester(trace, rows, &nesting);
  const std::uint32_t* const order = nesting.order.data();
  std::size_t first = 0;  // of the thread
  for (std::size_t i = 0; i < nesting.order.size(); ++i) {
    if (slices[order[first]].thread != slices[order[i]].thread) {
      nester.finish_thread(order + first, order + i);
      first = i;
    }
    nester.place(order[i]);
  }
  nester.finish_thread(order + first, order + nesting.order.size());
  return nesting;
}

}  // namespace benchhud::trace
