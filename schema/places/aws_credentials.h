// Who the program is to an object store: keys from the environment, from the file of credentials
// that Amazon's tools share, or from the machine that it runs on.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/places/http_client.h"

namespace benchhud::schema {

struct AwsKeys {
  std::string id;
  std::string secret;
  std::string token;              ///< Of a session; "" for keys that last.
  std::optional<double> expires;  ///< Seconds since 1970.
  std::string source;             ///< Where they are from, for messages. It holds no secret.

  /// The text with "…" for the secret and the token, also where they are as in an URL: a server is
  /// told the token, and might repeat it. To be done before a text is cut.
  std::string redacted(std::string text) const;
};

/// Asks in this order, as Amazon's tools do:
/// 1. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN;
/// 2. the profile AWS_PROFILE (`default`) of the file AWS_SHARED_CREDENTIALS_FILE
///    (`~/.aws/credentials`);
/// 3. the container's service, where AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI names one;
/// 4. the machine's metadata service (IMDSv2) at AWS_EC2_METADATA_SERVICE_ENDPOINT
///    (http://169.254.169.254), unless AWS_EC2_METADATA_DISABLED is `true`.
/// The environment and the file are read again each time, so keys that are replaced there are used
/// at once. Several threads may use one at the same time.
class AwsCredentials {
 public:
  /// `gives_up`: as in PlaceOptions.
  explicit AwsCredentials(std::function<bool()> gives_up);

  /// Keys that hold for a while. Errors, with what was asked: kPlaceRefused, there are none;
  /// kUnavailable, a service could not be reached or failed for the moment. Within a second of
  /// that, nobody asks again: threads that wait for each other here do not all wait for the
  /// service.
  Expected<AwsKeys> get();
  /// Forgets what a service said, because it was refused.
  void forget();

 private:
  Expected<AwsKeys> ask_services();
  Expected<AwsKeys> ask_container(std::string_view asked, const std::string& url);
  Expected<AwsKeys> ask_machine();
  /// The body of an answer with status 200. Errors: kPlaceRefused, kUnavailable. A message names
  /// the service as `asked` does and not by its URL, which may be all that is needed to get keys.
  Expected<std::string> ask(std::string_view asked, const HttpRequest& request);

  HttpClient client_;
  std::mutex mutex_;
  std::optional<AwsKeys> kept_;   // of a service
  std::optional<Error> failure_;  // of a service, when it was asked last
  std::chrono::steady_clock::time_point failed_;
};

/// Keys as the services answer them: a JSON object with AccessKeyId, SecretAccessKey, Token and
/// Expiration. Error: kPlaceRefused. Neither message nor source hold what is in it.
Expected<AwsKeys> read_service_keys(const std::string& json);

/// The keys of a profile; nothing where there is no such file. Error: kPlaceRefused, a file that
/// cannot be read, or that lacks the profile or its keys.
Expected<std::optional<AwsKeys>> read_profile(const std::string& path, const std::string& profile);

}  // namespace benchhud::schema
