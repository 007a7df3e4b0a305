// Prints the modules that XLA's profiler keeps beside its events, HloProto messages, as HLO text.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace benchhud::ingest {

struct HloText {
  std::string name;  ///< of the module; "" where it has none
  /// As XLA prints it, without operands' types. It holds no id that a process gave, neither the
  /// module's nor its instructions': what is compiled again the same has the same text. "" where
  /// there is no module.
  std::string text;
};

/// No text of a module is longer, in bytes.
inline constexpr std::size_t kMostHloText = std::size_t{64} << 20;
/// Nor is it longer than the message that it is made of so many times, and 64 KiB: a name that
/// stands once in the message may be printed for each use.
inline constexpr std::size_t kMostHloTextTimes = 64;
/// Configurations of backends beyond so many bytes are left out: of serialised kernels.
inline constexpr std::size_t kMostBackendConfig = std::size_t{64} << 10;

/// Prints HloProto::hlo_module. What cannot be decoded is reported, with the place in the message,
/// and costs itself: an instruction, else the rest of its computation, else of the module. Takes
/// time linear in the message and the text, and no stack for depth: what a module calls is printed
/// by name.
HloText print_hlo(std::string_view hlo_proto,
                  const std::function<void(const char* place, std::string_view reason)>& report);

}  // namespace benchhud::ingest
