// Tells another program of something, by HTTP, so that it can be sure who said it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::cli {

/// As Standard Webhooks have it (standardwebhooks.com, version 1.0): "v1," and the base64 of the
/// HMAC-SHA256 of `id.timestamp.body`. `timestamp`: seconds since 1970.
std::string webhook_signature(std::string_view secret, std::string_view id, std::int64_t timestamp,
                              std::string_view body);

struct WebhookMessage {
  std::string id;  ///< the same at every attempt: who gets it twice can tell
  std::string body;
};

/// Posts `body` as JSON to an http:// or https:// address, with the headers webhook-id,
/// webhook-timestamp (seconds since 1970) and, with a secret, webhook-signature; waits ten seconds.
/// Redirections are not followed. Errors: kInvalidArgument for an address that is none, kIo for no
/// answer or one that is not 2xx, in words.
schema::Expected<void> post_webhook(const std::string& url, std::string_view secret,
                                    const WebhookMessage& message, std::int64_t timestamp);

}  // namespace benchhud::cli
