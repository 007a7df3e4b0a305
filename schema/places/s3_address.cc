#include "schema/places/s3_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "schema/base/ascii.h"
#include "schema/base/text_excerpt.h"
#include "schema/places/curl_library.h"
#include "schema/places/http_client.h"
#include "schema/places/object_place.h"

namespace benchhud::schema {
namespace {

constexpr std::string_view kScheme = "s3://";

Error wrong_address(std::string_view why) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("the address of a bucket {}; it is "
                      "s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME&path_style=true|false]",
                      why)};
}

bool is_region_character(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }

/// By the rules for names of buckets, as far as an URL depends on them.
bool is_bucket_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.';
  };
  return name.size() >= 3 && name.size() <= 63 && std::all_of(name.begin(), name.end(), fits) &&
         name.front() != '-' && name.front() != '.' && name.back() != '-' && name.back() != '.' &&
         name.find("..") == name.npos;
}

/// Nothing where a % is not followed by two hexadecimal digits.
std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  const auto value_of = [](char c) {
    const auto at = std::string_view("0123456789abcdef").find(lower(c));
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size() || value_of(text[i + 1]) < 0 || value_of(text[i + 2]) < 0) return {};
    plain += static_cast<char>(16 * value_of(text[i + 1]) + value_of(text[i + 2]));
    i += 2;
  }
  return plain;
}

/// `https://host[:port]`, without a slash behind it.
Expected<std::string> read_endpoint(std::string_view text) {
  const std::string_view scheme = text.starts_with("https://") ? "https://" : "http://";
  if (!text.starts_with(scheme)) return wrong_address("has an endpoint that is no http(s):// URL");
  std::string_view host = text.substr(scheme.size());
  while (host.ends_with('/')) host.remove_suffix(1);
  if (host.find('@') != host.npos) {
    return wrong_address("may hold no credentials: they come from the environment or a file");
  }
  const auto is_of_host = [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view(".-_:[]").find(c) != std::string_view::npos;
  };
  if (host.empty() || !host_of_url(std::string(scheme).append(host)) ||
      !std::all_of(host.begin(), host.end(), is_of_host)) {
    return wrong_address("has an endpoint that is more or less than http(s)://host[:port]");
  }
  return std::string(scheme).append(host);
}

Expected<void> read_parameter(std::string_view name, const std::string& value, S3Address* address,
                              std::optional<bool>* path_style) {
  if (name == "endpoint") {
    BENCHHUD_ASSIGN(address->endpoint, read_endpoint(value));
  } else if (name == "region") {
    if (value.empty() || !std::all_of(value.begin(), value.end(), is_region_character)) {
      return wrong_address("has a region that is no name");
    }
    address->region = value;
  } else if (name == "path_style") {
    if (value != "true" && value != "false")
      return wrong_address("has a path_style that is neither true nor false");
    *path_style = value == "true";
  } else {
    return wrong_address(fmt::format("has an unknown part \"{}\"", name_in_sentence(name, 64)));
  }
  return {};
}

Expected<void> read_bucket_and_prefix(std::string_view text, S3Address* address) {
  if (text.find('@') != text.npos) {
    return wrong_address("may hold no credentials: they come from the environment or a file");
  }
  const auto slash = text.find('/');
  address->bucket = text.substr(0, slash);
  if (!is_bucket_name(address->bucket)) {
    return wrong_address(fmt::format("has \"{}\", which is no name of a bucket",
                                     name_in_sentence(address->bucket, 64)));
  }
  std::string_view prefix = slash == text.npos ? std::string_view() : text.substr(slash + 1);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (prefix.empty()) return {};
  if (!check_key(prefix)) {
    return wrong_address(fmt::format("has \"{}\", which cannot be the beginning of keys",
                                     name_in_sentence(prefix, 64)));
  }
  address->prefix = std::string(prefix) + "/";
  return {};
}

/// Whether requests are of the path style where the address does not say.
bool is_path_style_usual(const S3Address& address) {
  return !address.endpoint.empty() || address.bucket.find('.') != std::string::npos;
}

}  // namespace

Expected<S3Address> parse_s3_address(std::string_view text) {
  // Which reads endpoints; without it no address would be right.
  BENCHHUD_TRY(curl_library());
  if (!text.starts_with(kScheme)) return wrong_address("does not begin with s3://");
  text.remove_prefix(kScheme.size());
  const auto question = text.find('?');
  S3Address address;
  BENCHHUD_TRY(read_bucket_and_prefix(text.substr(0, question), &address));
  std::optional<bool> path_style;
  std::string_view rest = question == text.npos ? std::string_view() : text.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), parameter.size() + 1));
    const auto equals = parameter.find('=');
    if (equals == parameter.npos) return wrong_address("has a part without a value");
    const auto value = unescaped(parameter.substr(equals + 1));
    if (!value) return wrong_address("has a % that two hexadecimal digits do not follow");
    BENCHHUD_TRY(read_parameter(parameter.substr(0, equals), *value, &address, &path_style));
  }
  address.path_style = path_style.value_or(is_path_style_usual(address));
  return address;
}

std::string S3Address::text() const {
  std::string text = fmt::format("{}{}", kScheme, bucket);
  if (!prefix.empty()) text += "/" + prefix.substr(0, prefix.size() - 1);
  char separator = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{}{}={}", std::exchange(separator, '&'), name, value);
  };
  if (!endpoint.empty()) add("endpoint", endpoint);
  if (!region.empty()) add("region", region);
  if (path_style != is_path_style_usual(*this)) add("path_style", path_style ? "true" : "false");
  return text;
}

std::string S3Address::region_or_default() const {
  if (!region.empty()) return region;
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    const char* value = std::getenv(name);
    const std::string_view named = value ? value : "";
    if (!named.empty() && std::all_of(named.begin(), named.end(), is_region_character)) {
      return std::string(named);
    }
  }
  return "us-east-1";
}

std::string S3Address::base_url() const {
  const std::string whole =
      endpoint.empty() ? fmt::format("https://s3.{}.amazonaws.com", region_or_default()) : endpoint;
  if (path_style) return fmt::format("{}/{}/", whole, bucket);
  const auto host = whole.find("://") + 3;
  return fmt::format("{}{}.{}/", whole.substr(0, host), bucket, whole.substr(host));
}

}  // namespace benchhud::schema
