// Objects in a bucket of an object store that speaks the S3 protocol.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/places/aws_credentials.h"
#include "schema/places/http_client.h"
#include "schema/places/local_file.h"
#include "schema/places/object_place.h"
#include "schema/places/s3_address.h"

namespace benchhud::schema {

struct S3List;

/// Of the protocol it uses PutObject, GetObject, DeleteObject and ListObjectsV2. Requests are
/// signed (AWS Signature Version 4) with the hash of the body, by which the store checks what it
/// was sent.
class S3Place : public ObjectPlace {
 public:
  S3Place(S3Address address, const PlaceOptions& options);

  const std::string& address() const override { return address_text_; }
  Expected<void> put(std::string_view key, const std::filesystem::path& file) override;
  Expected<void> fetch(std::string_view key, const std::filesystem::path& file,
                       std::int64_t most_bytes) override;
  Expected<std::optional<PlacedObject>> find(std::string_view key) override;
  Expected<void> remove(std::string_view key) override;
  Expected<void> list(std::string_view prefix,
                      const std::function<Expected<void>(const PlacedObject&)>& visit) override;
  /// See mark_place().
  Expected<void> mark(const std::string& id);

 private:
  /// What is asked, for messages.
  struct Operation {
    std::string_view what;   // such as "put traces/ab/abcd"
    std::string_view right;  // such as "s3:PutObject"
  };

  /// Sends a request until it is answered with 200 or 204, fails for good or has been tried often
  /// enough. `before_retry` prepares another try.
  Expected<HttpAnswer> send(const Operation& operation, HttpRequest request,
                            const std::function<Expected<void>()>& before_retry = {});
  /// One try. `wait` is set where another may succeed: at least so long from now.
  struct Try;
  Try send_once(const Operation& operation, HttpRequest* request);
  Try refused(const Operation& operation, const HttpAnswer& answer, const AwsKeys& keys);
  Error error_of(const Operation& operation, ErrorCode code, std::string_view why) const;
  /// Waits before another try; false where the caller gives up.
  bool pause(std::chrono::milliseconds duration) const;
  /// Whether the bucket has the mark that it is to have. Asked once; a place that has it keeps it.
  /// Error: kPlaceRefused.
  Expected<void> check_mark();
  /// The ids of all marks: more than one where two stores mark the place at the same time.
  Expected<std::vector<std::string>> marks();
  Expected<void> put_file(std::string_view key, const InputFile& from);
  Expected<void> remove_object(std::string_view key);
  /// Calls `visit` for each object whose key begins with `prefix`, ours behind that of the address,
  /// page by page in the order of the keys, until it returns false.
  Expected<void> list_pages(const Operation& operation, std::string_view prefix, int keys_per_page,
                            const std::function<Expected<bool>(PlacedObject&)>& visit);
  Expected<S3List> list_page(const Operation& operation, std::string_view prefix,
                             const std::string& from, int most_keys);

  S3Address place_;
  std::string address_text_;
  PlaceOptions options_;
  HttpClient client_;
  AwsCredentials credentials_;
  std::atomic<bool> has_mark_{false};
};

}  // namespace benchhud::schema
