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
  const std::vector<TraceSlice>& slices = trace.slices;
  TraceNesting nesting;
  nesting.order.resize(slices.size());
  nesting.parent.assign(slices.size(), kNoSlice);
  nesting.depth.assign(slices.size(), 0);
  std::iota(nesting.order.begin(), nesting.order.end(), 0U);
  std::sort(nesting.order.begin(), nesting.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const TraceSlice& x = slices[a];
    const TraceSlice& y = slices[b];
    if (x.thread != y.thread) return x.thread < y.thread;
    if (x.start != y.start) return x.start < y.start;
    if (x.duration != y.duration) return x.duration > y.duration;
    return a < b;
  });
  Nester nester(trace, &nesting);
  for (std::size_t i = 0; i < nesting.order.size(); ++i) {
    const std::uint32_t index = nesting.order[i];
    if (i > 0 && slices[nesting.order[i - 1]].thread != slices[index].thread) nester.next_thread();
    nester.place(index);
  }
  return nesting;
}

}  // namespace benchhud::schema
