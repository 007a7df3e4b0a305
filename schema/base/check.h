// Conditions that memory or stored data depend on, looked at in every build.
#pragma once

namespace benchhud::schema {

/// Says on standard error which condition does not hold, and where; ends the program.
[[noreturn]] void fail_check(const char* condition, const char* function) noexcept;

}  // namespace benchhud::schema

/// Ends the program unless the condition holds: a bug that is about to read or write memory that is
/// not its own, or to store what means something else, must not go on. Unlike assert() it is there
/// in release builds too. What input can bring about is no bug: it is refused with an Error.
#define BENCHHUD_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::benchhud::schema::fail_check(#condition, __func__))
