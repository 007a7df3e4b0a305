// Small XML documents of other machines, element by element.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::schema {

/// Calls `visit` at the end of each element with the names of the elements around it and its own,
/// such as `ListBucketResult/Contents/Key`, and with the text directly in it. Namespace prefixes
/// are left out. Error: kInvalidArgument for what is not well-formed, has a document type (which
/// could define entities that grow), or nests deeper than 16 elements; and the first error of
/// `visit`.
Expected<void> read_xml(
    std::string_view document,
    const std::function<Expected<void>(std::string_view path, const std::string& text)>& visit);

}  // namespace benchhud::schema
