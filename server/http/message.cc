#include "server/http/message.h"

#include "schema/base/json_writer.h"

namespace benchhud::server {
namespace {

/// When to try again what failed because others were using the store or the memory, or because what
/// the store uses did not answer.
constexpr const char* kRetryAfterSeconds = "10";

}  // namespace

std::string_view Response::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

Response problem_response(const schema::Error& error, std::string_view instance,
                          std::string_view parameter, std::string_view allow) {
  Response response =
      protocol_problem(schema::error_info(error.code), error.message, instance, parameter);
  if (error.code == schema::ErrorCode::kMethodNotAllowed) {
    response.headers.emplace_back("Allow", allow);
  }
  const bool passes = error.code == schema::ErrorCode::kBusy ||
                      error.code == schema::ErrorCode::kNoMemory ||
                      error.code == schema::ErrorCode::kUnavailable;
  if (passes) response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
  if (error.code == schema::ErrorCode::kUnauthorized) {
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"benchhud\"");
  }
  return response;
}

Response protocol_problem(const schema::ErrorInfo& info, std::string_view detail,
                          std::string_view instance, std::string_view parameter) {
  std::string body;
  schema::JsonWriter json(&body);
  json.begin_object();
  json.field("type", std::string("urn:benchhud:problem:") + std::string(info.name));
  json.field("title", info.title);
  json.field("status", info.http_status);
  json.field("detail", detail.empty() ? info.title : detail);
  json.field("instance", instance);
  if (!parameter.empty()) json.field("parameter", parameter);
  json.end_object();

  Response response;
  response.status = info.http_status;
  response.problem = info.name;
  response.content_type = "application/problem+json";
  response.body = std::make_shared<const std::string>(std::move(body));
  response.headers.emplace_back("Cache-Control", "no-store");
  add_safe_headers(&response);
  return response;
}

void add_safe_headers(Response* response, Showing showing) {
  auto& headers = response->headers;
  headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
      "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'");
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("X-Frame-Options", "DENY");
  headers.emplace_back("Referrer-Policy", "no-referrer");
  headers.emplace_back("Cross-Origin-Resource-Policy",
                       showing == Showing::kAnySite ? "cross-origin" : "same-origin");
}

}  // namespace benchhud::server
