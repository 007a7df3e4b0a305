#include "cli/output/webhook.h"

#include <fmt/format.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace benchhud::cli {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

constexpr std::time_t kTimeout = 10;  // s

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

/// "https://host:port" and "/path?query".
struct Endpoint {
  std::string origin, path;
};

Expected<Endpoint> endpoint_of(const std::string& url) {
  const bool is_http = url.starts_with("http://") || url.starts_with("https://");
  const std::size_t host = url.find("://") + 3;
  const std::size_t path = is_http ? url.find_first_of("/?", host) : std::string::npos;
  const std::string origin = url.substr(0, path);
  if (!is_http || origin.size() == host || url.find_first_of(" \r\n\t@#") != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument,
                 "a webhook is an address like https://host/path, not " + url};
  }
  std::string rest = path == std::string::npos ? "/" : url.substr(path);
  if (rest[0] == '?') rest.insert(0, "/");
  return Endpoint{origin, std::move(rest)};
}

}  // namespace

std::string webhook_signature(std::string_view secret, std::string_view id, std::int64_t timestamp,
                              std::string_view body) {
  const std::string text = fmt::format("{}.{}.{}", id, timestamp, body);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &length);
  return "v1," + base64({reinterpret_cast<const char*>(digest.data()), length});
}

Expected<void> post_webhook(const std::string& url, std::string_view secret,
                            const WebhookMessage& message, std::int64_t timestamp) {
  BENCHHUD_ASSIGN(const Endpoint address, endpoint_of(url));
  httplib::Client client(address.origin);
  if (!client.is_valid()) {
    return Error{ErrorCode::kInvalidArgument, "no connection can be made to " + url};
  }
  client.set_connection_timeout(kTimeout, 0);
  client.set_read_timeout(kTimeout, 0);
  client.set_write_timeout(kTimeout, 0);
  httplib::Headers headers = {{"webhook-id", message.id},
                              {"webhook-timestamp", std::to_string(timestamp)},
                              {"User-Agent", "benchhud"}};
  if (!secret.empty()) {
    headers.emplace("webhook-signature",
                    webhook_signature(secret, message.id, timestamp, message.body));
  }
  const auto answer = client.Post(address.path, headers, message.body, "application/json");
  if (!answer) {
    return Error{ErrorCode::kIo, fmt::format("{} does not answer: {}", address.origin,
                                             httplib::to_string(answer.error()))};
  }
  if (answer->status < 200 || answer->status > 299) {
    return Error{ErrorCode::kIo, fmt::format("{} answers {}", address.origin, answer->status)};
  }
  return {};
}

}  // namespace benchhud::cli
