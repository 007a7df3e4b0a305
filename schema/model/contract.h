// The REST contract, as the program carries it.
#pragma once

#include <string_view>

namespace benchhud::schema {

/// The bytes of openapi.json.
std::string_view openapi_document();

}  // namespace benchhud::schema
