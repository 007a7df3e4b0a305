// Texts of failures as a runner catches them: tracebacks, a subprocess's stderr, a time-out.
#pragma once

#include <string>
#include <string_view>

#include "random.h"

namespace benchhud::bench {

enum class Cause {
  kOutOfMemory,
  kShapes,
  kUnsupported,
  kLowering,
  kTimeout,
  kCrash,
  kAccuracyTool,
};
inline constexpr int kCauseCount = 7;

std::string_view cause_name(Cause cause);

/// Appends such a text, escaped for a JSON string. Of one cause and model, texts differ in
/// addresses, process ids and sizes from night to night, as they do in reality, and in nothing that
/// tells what happened.
void append_error(Cause cause, std::string_view model, Random* random, std::string* out);

}  // namespace benchhud::bench
