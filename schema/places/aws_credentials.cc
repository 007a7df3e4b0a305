#include "schema/places/aws_credentials.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <boost/property_tree/ini_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "schema/base/ascii.h"
#include "schema/base/text_excerpt.h"
#include "schema/base/time.h"

namespace benchhud::schema {
namespace {

using std::chrono::steady_clock;

/// Services give out new keys some minutes before the old ones expire.
constexpr double kRenewBefore = 5 * 60;  // seconds
constexpr std::chrono::milliseconds kServiceConnectLimit{1000};
constexpr std::chrono::seconds kServiceAnswerLimit{10};
constexpr std::chrono::seconds kFailureHolds{1};
constexpr const char* kContainerHost = "http://169.254.170.2";
constexpr const char* kMachineHost = "http://169.254.169.254";
constexpr std::string_view kMachineService = "the machine's metadata service";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Error no_keys(std::string why) { return {ErrorCode::kPlaceRefused, std::move(why)}; }

/// A header's value cannot hold what would begin another header.
bool is_header_value(std::string_view text) {
  return text.find_first_of("\r\n") == text.npos && text.find('\0') == text.npos;
}

/// Both go into headers.
Expected<std::optional<AwsKeys>> checked(AwsKeys keys) {
  if (is_header_value(keys.id) && is_header_value(keys.token)) {
    return std::optional(std::move(keys));
  }
  return no_keys(fmt::format("the key or token of {} has several lines", keys.source));
}

Expected<std::optional<AwsKeys>> keys_of_environment() {
  AwsKeys keys;
  keys.id = variable("AWS_ACCESS_KEY_ID");
  keys.secret = variable("AWS_SECRET_ACCESS_KEY");
  keys.token = variable("AWS_SESSION_TOKEN");
  keys.source = "AWS_ACCESS_KEY_ID in the environment";
  if (keys.id.empty() || keys.secret.empty()) return std::optional<AwsKeys>();
  return checked(std::move(keys));
}

std::string credentials_file() {
  if (std::string path = variable("AWS_SHARED_CREDENTIALS_FILE"); !path.empty()) return path;
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.aws/credentials";
}

Expected<std::optional<AwsKeys>> keys_of_file() {
  const std::string path = credentials_file(), named = variable("AWS_PROFILE");
  if (path.empty()) return std::optional<AwsKeys>();
  BENCHHUD_ASSIGN(auto keys, read_profile(path, named.empty() ? "default" : named));
  if (!keys && !named.empty()) {
    return no_keys(fmt::format("AWS_PROFILE names a profile, but there is no file {}", path));
  }
  return keys;
}

/// Whether an URL is of a host to which a token may be sent: this one, or the ones that Amazon's
/// container services have.
bool is_trusted_container_url(const std::string& url) {
  constexpr std::array<std::string_view, 6> kHosts = {
      "127.0.0.1", "localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
  const auto host = host_of_url(url);
  if (!host) return false;
  if (url.starts_with("https://")) return true;
  return url.starts_with("http://") &&
         std::find(kHosts.begin(), kHosts.end(), *host) != kHosts.end();
}

/// What the service wants to be shown. A file is read each time: its content changes.
Expected<std::string> container_token() {
  const std::string path = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (path.empty()) return variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return no_keys(path + " (AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE) cannot be read");
  return std::string(trim(text.str()));
}

bool holds_for_a_while(const AwsKeys& keys, double seconds) {
  return !keys.expires || *keys.expires - now() > seconds;
}

std::string no_credentials(std::string_view asked) {
  const std::string file = credentials_file();
  return fmt::format(
      "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them "
      "into {}, or give this machine a role ({})",
      file.empty() ? "the file that AWS_SHARED_CREDENTIALS_FILE names" : file, asked);
}

std::string replaced(std::string text, const std::string& old) {
  constexpr std::string_view kDots = "…";
  if (old.empty()) return text;
  for (auto at = text.find(old); at != text.npos; at = text.find(old, at + kDots.size())) {
    text.replace(at, old.size(), kDots);
  }
  return text;
}

}  // namespace

std::string AwsKeys::redacted(std::string text) const {
  for (const std::string& hidden : {token, secret}) {
    text = replaced(replaced(std::move(text), hidden), url_escaped(hidden));
  }
  return text;
}

AwsCredentials::AwsCredentials(std::function<bool()> gives_up)
    : client_({.connect = kServiceConnectLimit,
               .stall = kServiceAnswerLimit,
               .answer = kServiceAnswerLimit,
               .gives_up = std::move(gives_up)}) {}

Expected<AwsKeys> AwsCredentials::get() {
  BENCHHUD_ASSIGN(auto of_environment, keys_of_environment());
  if (of_environment) return *std::move(of_environment);
  BENCHHUD_ASSIGN(auto of_file, keys_of_file());
  if (of_file) return *std::move(of_file);
  const std::scoped_lock lock(mutex_);
  if (kept_ && holds_for_a_while(*kept_, kRenewBefore)) return *kept_;
  if (!failure_ || steady_clock::now() - failed_ >= kFailureHolds) {
    auto asked = ask_services();
    failure_.reset();
    if (asked) {
      kept_ = *std::move(asked);
    } else {
      failure_ = std::move(asked).error();
      failed_ = steady_clock::now();
    }
  }
  if (kept_ && holds_for_a_while(*kept_, 0)) return *kept_;
  // Keys that a service gave and that have expired since.
  if (!failure_) return no_keys("the service for credentials gives keys that have expired");
  return Error{failure_->code, no_credentials(failure_->message)};
}

void AwsCredentials::forget() {
  const std::scoped_lock lock(mutex_);
  kept_.reset();
  failure_.reset();
}

Expected<AwsKeys> AwsCredentials::ask_services() {
  if (const auto path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); !path.empty()) {
    // Without the slash it could go on with another host.
    if (!path.starts_with('/')) {
      return no_keys("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with a slash");
    }
    return ask_container("the service at AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                         kContainerHost + path);
  }
  if (const auto url = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI"); !url.empty()) {
    return ask_container("the service at AWS_CONTAINER_CREDENTIALS_FULL_URI", url);
  }
  if (equal_ignoring_case(variable("AWS_EC2_METADATA_DISABLED"), "true")) {
    return no_keys("AWS_EC2_METADATA_DISABLED is set");
  }
  return ask_machine();
}

Expected<AwsKeys> AwsCredentials::ask_container(std::string_view asked, const std::string& url) {
  if (!is_trusted_container_url(url)) {
    return no_keys(fmt::format(
        "{} is not asked: its URL is neither https nor of this machine, or holds a password",
        asked));
  }
  HttpRequest request;
  request.url = url;
  request.uses_proxy = false;
  BENCHHUD_ASSIGN(const std::string token, container_token());
  if (!is_header_value(token))
    return no_keys("the container's authorization token has several lines");
  if (!token.empty()) request.headers.push_back("Authorization: " + token);
  BENCHHUD_ASSIGN(const std::string json, ask(asked, request));
  BENCHHUD_ASSIGN(AwsKeys keys, read_service_keys(json));
  keys.source = "the container's role";
  return keys;
}

Expected<AwsKeys> AwsCredentials::ask_machine() {
  std::string host = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (host.empty()) host = kMachineHost;
  if (!host_of_url(host)) {
    return no_keys("AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL, or holds a password");
  }
  while (host.ends_with('/')) host.pop_back();
  HttpRequest request;
  request.uses_proxy = false;
  request.method = "PUT";
  request.url = host + "/latest/api/token";
  request.headers = {"X-aws-ec2-metadata-token-ttl-seconds: 60"};
  BENCHHUD_ASSIGN(const std::string token, ask(kMachineService, request));
  if (!is_header_value(token)) return no_keys("the metadata service's token has several lines");
  request.method = "GET";
  request.url = host + "/latest/meta-data/iam/security-credentials/";
  request.headers = {"X-aws-ec2-metadata-token: " + token};
  BENCHHUD_ASSIGN(const std::string roles, ask(kMachineService, request));
  const std::string role(trim(std::string_view(roles).substr(0, roles.find('\n'))));
  if (role.empty()) return no_keys("the metadata service says that this machine has no role");
  request.url += url_escaped(role);
  BENCHHUD_ASSIGN(const std::string json, ask(kMachineService, request));
  BENCHHUD_ASSIGN(AwsKeys keys, read_service_keys(json));
  keys.source = fmt::format("the machine's role {}", name_in_sentence(role, 64));
  return keys;
}

Expected<std::string> AwsCredentials::ask(std::string_view asked, const HttpRequest& request) {
  auto sent = client_.send(request);
  if (const auto* failure = std::get_if<HttpFailure>(&sent)) {
    const bool is_transient = failure->kind == HttpFailure::Kind::kTransient ||
                              failure->kind == HttpFailure::Kind::kCancelled;
    return Error{is_transient ? ErrorCode::kUnavailable : ErrorCode::kPlaceRefused,
                 fmt::format("{}: {}", asked, failure->error.message)};
  }
  auto& answer = std::get<HttpAnswer>(sent);
  if (answer.status != 200) {
    return Error{
        is_transient_status(answer.status) ? ErrorCode::kUnavailable : ErrorCode::kPlaceRefused,
        fmt::format("{} answers with status {}", asked, answer.status)};
  }
  return std::move(answer.body);
}

Expected<AwsKeys> read_service_keys(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  const simdjson::padded_string padded(json);
  if (parser.parse(padded).get(document) != simdjson::SUCCESS) {
    return no_keys("the service for credentials answers something that is no JSON");
  }
  const auto text_of = [&document](const char* name) {
    std::string_view text;
    return document[name].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
  };
  AwsKeys keys;
  keys.id = text_of("AccessKeyId");
  keys.secret = text_of("SecretAccessKey");
  keys.token = text_of("Token");
  if (keys.id.empty() || keys.secret.empty() || !is_header_value(keys.id + keys.token)) {
    return no_keys("the service for credentials answers no keys");
  }
  if (const std::string expires = text_of("Expiration"); !expires.empty()) {
    keys.expires = parse_time(expires);
    if (!keys.expires)
      return no_keys("the service for credentials says no time until which they hold");
  }
  return keys;
}

Expected<std::optional<AwsKeys>> read_profile(const std::string& path, const std::string& profile) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::optional<AwsKeys>();
  std::ifstream file(path);
  if (!file) return no_keys(path + " cannot be read; who runs benchhud must be allowed to");
  boost::property_tree::ptree sections;
  try {
    boost::property_tree::read_ini(file, sections);
  } catch (const boost::property_tree::ini_parser_error& error) {
    return no_keys(fmt::format("{}, line {}: {}", path, error.line(), error.message()));
  }
  // A profile's name may have dots, which would be read as a path.
  const auto section = sections.find(profile);
  if (section == sections.not_found()) {
    return no_keys(fmt::format("{} has no profile [{}]; AWS_PROFILE names another", path,
                               name_in_sentence(profile, 64)));
  }
  AwsKeys keys;
  keys.id = section->second.get("aws_access_key_id", "");
  keys.secret = section->second.get("aws_secret_access_key", "");
  keys.token = section->second.get("aws_session_token", "");
  keys.source = fmt::format("[{}] in {}", name_in_sentence(profile, 64), path);
  if (keys.id.empty() || keys.secret.empty()) {
    return no_keys(fmt::format("{} lacks aws_access_key_id or aws_secret_access_key", keys.source));
  }
  return checked(std::move(keys));
}

}  // namespace benchhud::schema
