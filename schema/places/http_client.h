// Requests over HTTP to other machines, by libcurl: one at a time to its end, with limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "schema/base/errors.h"
#include "schema/places/local_file.h"

namespace benchhud::schema {

/// How a request is signed: AWS Signature Version 4, of which a server that knows the secret, too,
/// sees that who asks has it and that nothing was changed on the way.
struct AwsSignature {
  std::string region;
  std::string key_id;
  std::string secret;
  std::string content_sha256;  ///< Of the body, in hex.
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;  ///< `Name: value`
  /// The body is this file; none: there is no body.
  const InputFile* body = nullptr;
  std::optional<AwsSignature> signature;
  /// Where the body of an answer with status 200 goes, at most `most_bytes` of it.
  TemporaryFile* into = nullptr;
  std::int64_t most_bytes = 0;
  bool uses_proxy = true;  ///< The one that the environment names, if it does.
};

struct HttpAnswer {
  int status = 0;
  std::string body;  ///< What did not go into a file.
  // Headers are as they were sent, and of any content.
  std::string region;  ///< Of a bucket, as an object store says it.
  std::string content_type;
  std::optional<double> server_time;  ///< Seconds since 1970.
  std::chrono::seconds retry_after{0};
};

/// Why there is no answer that could be used.
struct HttpFailure {
  enum class Kind {
    kTransient,    // not reached, cut off, too slow: another try may succeed
    kCancelled,    // whoever asked wants no answer any more
    kCertificate,  // the server does not prove who it is
    kTooLarge,     // the answer has more bytes than it may
    kFile,         // the local file could not be read or written
    kOther,        // the request cannot be sent at all
  };
  Kind kind = Kind::kOther;
  Error error;
};

struct HttpLimits {
  std::chrono::milliseconds connect{10'000};
  /// How long less than 1,000 bytes per second may come or go.
  std::chrono::seconds stall{30};
  /// For an answer that does not go into a file, from its first byte; also for all of a request
  /// that neither has a body nor wants a file.
  std::chrono::seconds answer{60};
  /// From the last byte of the request's body to the end of the answer.
  std::chrono::seconds after_body{300};
  std::function<bool()> gives_up{};
};

/// Keeps connections for further requests. Several threads may use one at the same time.
class HttpClient {
 public:
  explicit HttpClient(HttpLimits limits);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Sends the request and waits for the answer, of whatever status. Redirections are not followed:
  /// a signature holds for one address. Certificates are checked against the system's authorities,
  /// or those in the file that AWS_CA_BUNDLE names. A failure's message holds nothing of what a
  /// proxy's address in the environment does, which may have a password.
  std::variant<HttpAnswer, HttpFailure> send(const HttpRequest& request);

 private:
  struct Handle;

  std::unique_ptr<Handle> take_handle();
  void give_back(std::unique_ptr<Handle> handle);

  HttpLimits limits_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Handle>> idle_;
};

/// The host of an URL (an address of IPv6 in brackets), as libcurl reads it; nothing of what is
/// none or holds a name or password of a user.
std::optional<std::string> host_of_url(const std::string& url);

/// Whether what was answered with this status may be answered otherwise in a moment.
bool is_transient_status(int status);

/// `text` with all but letters, digits, `-`, `_`, `.` and `~` as %XX.
std::string url_escaped(std::string_view text);

}  // namespace benchhud::schema
