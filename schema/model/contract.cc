#include "schema/model/contract.h"

#include "embedded/contract.h"

namespace benchhud::schema {

std::string_view openapi_document() { return embedded_contract().front().bytes; }

}  // namespace benchhud::schema
