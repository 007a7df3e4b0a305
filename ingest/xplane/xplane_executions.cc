#include "ingest/xplane/xplane_executions.h"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

namespace benchhud::ingest {

bool XplaneExecutions::is_module_execution(std::string_view name) {
  return name.ends_with(":XLA GPU module") || name == "GpuExecutable::ExecuteThunks" ||
         name == "GpuExecutable::ExecuteAsyncOnStreamImpl" || name.starts_with("XlaModule:");
}

std::optional<std::uint32_t> XplaneExecutions::launched_in(const Kernel& kernel) const {
  if (!kernel.correlation) return std::nullopt;
  const auto launch = std::lower_bound(
      launches_.begin(), launches_.end(), *kernel.correlation,
      [](const Launch& each, std::int64_t correlation) { return each.correlation < correlation; });
  if (launch == launches_.end() || launch->correlation != *kernel.correlation) return std::nullopt;
  // Of spans in one another the innermost, which began last: there are few.
  constexpr std::int64_t kMostAround = 8;
  auto span = std::upper_bound(
      spans_.begin(), spans_.end(), std::pair(launch->thread, launch->begin),
      [](const auto& at, const Span& each) { return at < std::pair(each.thread, each.begin); });
  for (std::int64_t i = 0; i < kMostAround && span != spans_.begin(); ++i) {
    --span;
    if (span->thread != launch->thread) break;
    if (span->end >= launch->begin) return static_cast<std::uint32_t>(span - spans_.begin());
  }
  return std::nullopt;
}

void XplaneExecutions::find(const std::function<void(std::uint32_t)>& of_operator,
                            const std::function<void(const Run&)>& of_module) {
  std::sort(launches_.begin(), launches_.end(), [](const Launch& a, const Launch& b) {
    return std::pair(a.correlation, a.begin) < std::pair(b.correlation, b.begin);
  });
  std::sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
    return std::pair(a.thread, a.begin) < std::pair(b.thread, b.begin);
  });
  std::stable_sort(kernels_.begin(), kernels_.end(), [](const Kernel& a, const Kernel& b) {
    return std::tuple(a.device, a.thread, a.begin) < std::tuple(b.device, b.thread, b.begin);
  });

  // The execution, and the run of the module, that the kernels of a stream are in.
  const Kernel* last = nullptr;
  std::optional<std::uint32_t> last_launched_in;
  // Signatures and launches of the execution.
  std::vector<std::pair<std::uint32_t, std::optional<std::int64_t>>> seen;
  struct Execution {
    std::uint32_t op = 0, in = 0, thread = 0;
    auto operator<=>(const Execution&) const = default;
  };
  std::vector<Execution> launched;
  constexpr std::size_t kMostSeen = 64;
  // Of a module, what one execution launches on several streams is one run.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Run> runs;  // by module and span
  std::optional<Run> unlaunched;
  const Kernel* first_of_run = nullptr;
  const auto close_run = [&] {
    if (unlaunched) of_module(*unlaunched);
    unlaunched.reset();
  };
  const auto extend = [](Run* run, const Kernel& kernel) {
    run->begin = std::min(run->begin, kernel.begin);
    run->begin_ns = std::min(run->begin_ns, kernel.begin_ns);
    run->end = std::max(run->end, kernel.end);
    run->end_ns = std::max(run->end_ns, kernel.end_ns);
  };
  for (const Kernel& kernel : kernels_) {
    const auto in = launched_in(kernel);
    const bool is_next = last == nullptr || last->device != kernel.device ||
                         last->thread != kernel.thread || last->op != kernel.op ||
                         last_launched_in != in;
    // One launch, of a graph, may start a kernel several times.
    const bool is_again = std::any_of(seen.begin(), seen.end(), [&](const auto& each) {
      return each.first == kernel.signature && (!in || each.second != kernel.correlation);
    });
    if (is_next || is_again) {
      if (in) {
        launched.push_back({kernel.op, *in, kernel.thread});
      } else {
        of_operator(kernel.op);
      }
      seen.clear();
    }
    if (seen.size() < kMostSeen) seen.emplace_back(kernel.signature, kernel.correlation);

    if (!kernel.module) {
      close_run();
      last = &kernel;
      last_launched_in = in;
      continue;
    }
    const Run run{*kernel.module, kernel.begin, kernel.end, kernel.begin_ns, kernel.end_ns};
    if (in) {
      close_run();
      extend(&runs.try_emplace({run.module, *in}, run).first->second, kernel);
    } else {
      const bool begins_again = first_of_run != nullptr && first_of_run->op == kernel.op &&
                                first_of_run->signature == kernel.signature;
      if (!unlaunched || unlaunched->module != run.module || last->device != kernel.device ||
          last->thread != kernel.thread || begins_again) {
        close_run();
        unlaunched = run;
        first_of_run = &kernel;
      }
      extend(&*unlaunched, kernel);
    }
    last = &kernel;
    last_launched_in = in;
  }
  close_run();
  for (const auto& [key, run] : runs) of_module(run);

  std::sort(launched.begin(), launched.end());
  for (auto at = launched.begin(); at != launched.end();) {
    const Execution first = *at;
    std::int64_t most = 0;
    while (at != launched.end() && at->op == first.op && at->in == first.in) {
      const auto end = std::upper_bound(at, launched.end(), *at);
      most = std::max<std::int64_t>(most, end - at);
      at = end;
    }
    for (std::int64_t i = 0; i < most; ++i) of_operator(first.op);
  }
}

}  // namespace benchhud::ingest
