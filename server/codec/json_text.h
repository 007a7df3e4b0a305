// Reading JSON that a store or a file holds: another version of the program may have written it.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "schema/base/errors.h"

namespace benchhud::server {

/// The text under `key` of an object of nlohmann's, ordered or not; "" where there is none.
template <class Json>
std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->template get<std::string>()
                                                   : std::string();
}

template <class Value>
struct AsExpected {
  using Type = schema::Expected<Value>;
};
template <class Value>
struct AsExpected<schema::Expected<Value>> {
  using Type = schema::Expected<Value>;
};

/// What `read` returns, as an Expected. `read` may use those accessors of nlohmann's that throw
/// (`parse`, `at`, `get`); what they throw is the error kCorrupt, whose message begins with `what`.
/// Inside of it, use `at`, not `[]`: of a constant object `[]` is undefined for a key that is not
/// there.
template <class Read>
auto read_json(std::string_view what, const Read& read) ->
    typename AsExpected<std::invoke_result_t<Read>>::Type {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    return schema::Error{schema::ErrorCode::kCorrupt,
                         fmt::format("{} cannot be read: {}", what, error.what())};
  }
}

/// `text` as JSON. Error: kCorrupt, naming `what`.
template <class Json = nlohmann::json>
schema::Expected<Json> parse_json(std::string_view what, std::string_view text) {
  return read_json(what, [&] { return Json::parse(text); });
}

}  // namespace benchhud::server
