// What the server counted since it began.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace benchhud::server {

/// Threads may share it.
struct HttpCounters {
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> open{0};  ///< connections, now
  std::atomic<std::uint64_t> requests{0};
  /// By the guard, among them requests that did not come in time and connections too many.
  std::atomic<std::uint64_t> refusals{0};
  std::atomic<std::uint64_t> crowded_out{0};        ///< connections closed to make place for others
  std::atomic<std::uint64_t> log_lines_dropped{0};  ///< because the request log was not read
  /// Answers by the first digit of their status; 0: none of those there are.
  std::array<std::atomic<std::uint64_t>, 6> answers{};

  void count_answer(int status) {
    const auto first = static_cast<std::size_t>(status / 100);
    ++answers[first < answers.size() ? first : 0];
  }
};

}  // namespace benchhud::server
