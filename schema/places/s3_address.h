// The address of a bucket.
#pragma once

#include <string>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::schema {

/// What `s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME&path_style=true|false]` names.
struct S3Address {
  std::string bucket;
  std::string prefix;    ///< "" or with a slash at its end.
  std::string endpoint;  ///< `https://host[:port]`; "": Amazon's of the region.
  std::string region;    ///< "": what the environment says, see region_or_default().
  bool path_style = false;

  /// The address in its one form, by which the place is opened again.
  std::string text() const;
  /// The region: that of the address, of AWS_REGION or AWS_DEFAULT_REGION, or us-east-1.
  std::string region_or_default() const;
  /// What the URLs of objects begin with, up to the slash before prefix and key.
  std::string base_url() const;
};

/// Requests are of the path style (`https://host/bucket/key`) unless said otherwise where an
/// endpoint is given or the bucket's name has a dot, which no certificate of `bucket.host` would
/// fit; else of the virtual-host style. Error: kInvalidArgument; credentials in an address are
/// refused, as an address is shown and stored; kPlaceRefused, libcurl cannot be loaded.
Expected<S3Address> parse_s3_address(std::string_view text);

}  // namespace benchhud::schema
