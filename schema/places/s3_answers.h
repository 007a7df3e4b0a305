// What an object store that speaks the S3 protocol answers: lists of objects, and errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/places/object_place.h"

namespace benchhud::schema {

/// The Error element of an answer (Amazon S3 API reference, "Error responses").
struct S3Error {
  std::string code;     ///< Such as NoSuchKey; "" where the answer says none that is a name.
  std::string message;  ///< As it was sent: of any length and content.
  std::string region;   ///< The one that the bucket is in, where another was asked; likewise.
};

/// Empty where the body is of another form, such as the page of a proxy.
S3Error read_s3_error(std::string_view body);

/// One page of ListObjectsV2.
struct S3List {
  std::vector<PlacedObject> objects;
  std::string next;  ///< The token that the next page is asked for with; "" on the last one.
};

/// Error: kInvalidArgument, the answer is no such list. The message holds nothing of it.
Expected<S3List> read_s3_list(std::string_view body);

}  // namespace benchhud::schema
