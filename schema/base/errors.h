// Expected failures: what went wrong, as a value. Bad input is not among them (it is counted in the
// ingest report), nor are bugs (those assert).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace benchhud::schema {

enum class ErrorCode {
  kInvalidArgument,   // the caller asked for something that makes no sense
  kNotFound,          // what was named is not in the store
  kAmbiguous,         // a name fits several things
  kConflict,          // the change would break what is there
  kIo,                // a file could not be read or written
  kBusy,              // another process is writing to the store
  kFull,              // no space left where the store is
  kReadOnly,          // the store may not be written
  kCorrupt,           // the store is damaged
  kVersion,           // the store was written by another version of the program
  kTooLarge,          // a request or answer is over its limit
  kMethodNotAllowed,  // the address exists, but not for this method
  kUnauthorized,      // who asks must say who they are
  kForbidden,         // who asks may not do that, or not from there
  kMediaType,         // a body is of another form than what is read
  kUnsupported,       // a known thing that this program does not do
  kNoMemory,          // the program could not get the memory that it needed
  kUnavailable,       // a place outside the store could not be reached, or failed for the moment
  kPlaceRefused,      // a place outside the store refuses until its setup is changed
  kInternal,          // a bug that was caught before it did harm
};

/// One row of the table that every face of the program reads: an error's stable name (the last part
/// of the `type` URI of an RFC 9457 problem), its HTTP status and its title.
struct ErrorInfo {
  ErrorCode code;
  std::string_view name;
  int http_status;
  std::string_view title;
};

/// The table's row for `code`. Total: every code has one.
const ErrorInfo& error_info(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  ///< A sentence for a person: what happened and what to do.
};

/// A value or an Error; what std::expected is in C++23, which the oldest supported clang lacks.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  Expected(Error error) : failed_(true), error_(std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return !failed_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  bool failed_ = false;
  Error error_;
};

}  // namespace benchhud::schema

#define BENCHHUD_CONCAT_(a, b) a##b
#define BENCHHUD_CONCAT(a, b) BENCHHUD_CONCAT_(a, b)

/// Leaves the function with the error of `expression`, if it has one.
#define BENCHHUD_TRY(expression)                               \
  do {                                                         \
    if (auto benchhud_result = (expression); !benchhud_result) \
      return std::move(benchhud_result).error();               \
  } while (false)

/// `BENCHHUD_ASSIGN(auto x, f())`: x is f's value, or the function is left with f's error.
#define BENCHHUD_ASSIGN(declaration, expression) \
  BENCHHUD_ASSIGN_(BENCHHUD_CONCAT(benchhud_result_, __LINE__), declaration, expression)
#define BENCHHUD_ASSIGN_(result, declaration, expression) \
  auto result = (expression);                             \
  if (!result) return std::move(result).error();          \
  declaration = *std::move(result)
