#include "schema/trace_nesting.h"

#include <algorithm>
#include <numeric>

namespace benchhud::schema {

namespace {

// Rows in which slices that overlap are looked after, a thread; those that overlap even more stand
// alone, for the time must not grow with the square of what a hostile file holds.
constexpr std::size_t kMostStacks = 64;

// The open slices of a row group, the outermost first.
using Stack = std::vector<std::uint32_t>;

// Sorts by merging the runs that are in order already: profilers write slices in a few of them.
template <class Before>
void merge_runs(std::uint32_t* begin, std::uint32_t* end, const Before& before) {
  std::vector<std::uint32_t*> runs{begin};  // where each begins, and the end
  while (runs.back() != end) runs.push_back(std::is_sorted_until(runs.back(), end, before));
  while (runs.size() > 2) {
    std::size_t kept = 1;
    for (std::size_t i = 2; i < runs.size(); i += 2) {
      std::inplace_merge(runs[i - 2], runs[i - 1], runs[i], before);
      runs[kept++] = runs[i];
    }
    if (runs.size() % 2 == 0) runs[kept++] = end;
    runs.resize(kept);
  }
}

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
  Nester(const Trace& trace, TraceNesting* nesting) : trace_(trace), nesting_(*nesting) {}

  void next_thread() { stacks_.clear(); }

  void place(std::uint32_t index) {
    const TraceSlice& slice = trace_.slices[index];
    for (Stack& stack : stacks_) {
      while (!stack.empty() && trace_.slices[stack.back()].end() <= slice.start) stack.pop_back();
    }
    bool is_overlap = false;
    for (Stack& stack : stacks_) {
      if (stack.empty() || slice.end() <= trace_.slices[stack.back()].end()) {
        nesting_.overlaps += is_overlap;
        return push(index, &stack);
      }
      is_overlap = true;
    }
    nesting_.overlaps += is_overlap;
    Stack alone;
    push(index, stacks_.size() < kMostStacks ? &stacks_.emplace_back() : &alone);
  }

 private:
  void push(std::uint32_t index, Stack* stack) {
    nesting_.parent[index] = stack->empty() ? kNoSlice : stack->back();
    stack->push_back(index);
    nesting_.depth[index] = static_cast<std::uint32_t>(stack->size());
    nesting_.max_depth = std::max(nesting_.max_depth, nesting_.depth[index]);
  }

  const Trace& trace_;
  TraceNesting& nesting_;
  std::vector<Stack> stacks_;
};

}  // namespace

TraceNesting nest(const Trace& trace) {
  const auto& slices = trace.slices;
  TraceNesting nesting;
  nesting.order = order_of(trace);
  nesting.parent.assign(slices.size(), kNoSlice);
  nesting.depth.assign(slices.size(), 0);
  Nester nester(trace, &nesting);
  for (std::size_t i = 0; i < nesting.order.size(); ++i) {
    const std::uint32_t index = nesting.order[i];
    if (i > 0 && slices[nesting.order[i - 1]].thread != slices[index].thread) nester.next_thread();
    nester.place(index);
  }
  return nesting;
}

}  // namespace benchhud::schema
