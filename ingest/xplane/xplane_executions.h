// How often a GPU's operators and modules were executed. A profile has kernels: an operator may
// launch several at once, and says nothing of where one execution ends and the next begins.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace benchhud::ingest {

/// Collects kernels of operators, the calls that launched them, and the spans in which the host
/// executed a module. On a stream, kernels that follow one another are one execution of their
/// operator as long as they are of one operator, the host launched them while it executed a module
/// once, and no kernel is launched again. Of what an operator executes on several streams while
/// the host executes a module once, the stream with the most executions counts.
class XplaneExecutions {
 public:
  struct Kernel {
    std::int64_t begin = 0, end = 0;          ///< ps
    std::int64_t begin_ns = 0, end_ns = 0;    ///< as the trace has it
    std::optional<std::int64_t> correlation;  ///< of it and its launch
    std::uint32_t device = 0, op = 0;         ///< what they are is the caller's
    std::optional<std::uint32_t> module;      ///< none: it is of none
    std::uint32_t thread = 0;                 ///< its stream
    std::uint32_t signature = 0;              ///< equal for kernels that are the same
  };
  void add_kernel(const Kernel& kernel) { kernels_.push_back(kernel); }
  /// A call of the runtime, on a thread of the host, ns.
  void add_launch(std::int64_t correlation, std::uint32_t thread, std::int64_t begin) {
    launches_.push_back({correlation, begin, thread});
  }
  /// The host executes a module, ns.
  void add_module_execution(std::uint32_t thread, std::int64_t begin, std::int64_t end) {
    spans_.push_back({begin, end, thread});
  }
  /// Whether a slice of the host is one, by its name.
  static bool is_module_execution(std::string_view name);

  /// A run of a module: from its first kernel's beginning to its last one's end.
  struct Run {
    std::uint32_t module = 0;
    std::int64_t begin = 0, end = 0;        ///< ps
    std::int64_t begin_ns = 0, end_ns = 0;  ///< as the trace has it
  };
  /// Calls `of_operator` with each execution's operator, and `of_module` with each run.
  void find(const std::function<void(std::uint32_t)>& of_operator,
            const std::function<void(const Run&)>& of_module);

 private:
  struct Launch {
    std::int64_t correlation = 0, begin = 0;
    std::uint32_t thread = 0;
  };
  struct Span {
    std::int64_t begin = 0, end = 0;
    std::uint32_t thread = 0;
  };
  /// A number for the module execution that a kernel was launched in; none: it is not known.
  std::optional<std::uint32_t> launched_in(const Kernel& kernel) const;

  std::vector<Kernel> kernels_;
  std::vector<Launch> launches_;
  std::vector<Span> spans_;
};

}  // namespace benchhud::ingest
