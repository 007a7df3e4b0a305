// Reading JSON that may be of another version.
#pragma once

#include <string>

namespace benchhud::server {

/// The text under `key` of an object of nlohmann's, ordered or not; "" where there is none.
template <class Json>
std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->template get<std::string>()
                                                   : std::string();
}

}  // namespace benchhud::server
