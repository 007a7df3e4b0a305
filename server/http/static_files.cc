#include "server/http/static_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema/base/fingerprint.h"
#include "server/http/etag.h"
#include "server/http/gzip.h"

namespace benchhud::server {
namespace {

constexpr std::string_view kNoPages =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>benchhud</title>\n"
    "<h1>benchhud</h1>\n"
    "<p>The server runs, but this program was built without its pages. <code>./dev build</code> "
    "builds "
    "them in.</p>\n"
    "<p>The API is there: <a href=\"/api/v1/openapi.json\">/api/v1/openapi.json</a> describes it, "
    "<a href=\"/api/v1/overview\">/api/v1/overview</a> says where things stand.</p>\n";

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".webp", "image/webp"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".webmanifest", "application/manifest+json"},
    {".wasm", "application/wasm"},
}};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string_view content_type_of(std::string_view name) {
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

bool is_hashed_name(std::string_view name) {
  // As web/build.mjs names them: ten hexadecimal digits between a dash and the ending.
  constexpr std::size_t kHashLength = 10;
  name = last_part(name);
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot < kHashLength + 1) return false;
  const auto hash = name.substr(dot - kHashLength, kHashLength);
  return name[dot - kHashLength - 1] == '-' &&
         hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

StaticFiles::StaticFiles(std::span<const File> files) {
  const auto add = [this](std::string_view name, std::string_view bytes) {
    Prepared file;
    file.bytes = std::make_shared<const std::string>(bytes);
    std::string packed = gzip(bytes, Effort::kThorough);
    if (!packed.empty() && packed.size() < bytes.size() / 10 * 9) {
      file.gzipped = std::make_shared<const std::string>(std::move(packed));
    }
    file.content_type = content_type_of(name);
    file.etag = fmt::format("W/\"{:016x}\"", schema::fingerprint(bytes));
    file.immutable = is_hashed_name(name);
    files_.emplace(name, std::move(file));
  };
  for (const auto& [name, bytes] : files) add(name, bytes);
  if (files_.count("index.html") == 0) add("index.html", kNoPages);
}

Response StaticFiles::respond(const Request& request, const Prepared& file) {
  Response response;
  response.content_type = file.content_type;
  response.body = file.bytes;
  response.headers.emplace_back("ETag", file.etag);
  response.headers.emplace_back(
      "Cache-Control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (etag_matches(request.if_none_match, file.etag)) {
    response.status = 304;
    response.body = std::make_shared<const std::string>();
  } else if (file.gzipped && accepts_gzip(request.accept_encoding)) {
    response.body = file.gzipped;
    response.headers.emplace_back("Content-Encoding", "gzip");
  }
  add_safe_headers(&response);
  return response;
}

Response StaticFiles::answer(const Request& request, std::string_view path) const {
  const auto found = files_.find(path.substr(std::min<std::size_t>(1, path.size())));
  if (found != files_.end()) return respond(request, found->second);
  const auto name = last_part(path);
  const std::size_t dot = name.rfind('.');
  // Names of runs and models have dots too, so only endings of files count.
  if (dot != std::string_view::npos && content_type_of(name) != "application/octet-stream") {
    return problem_response({schema::ErrorCode::kNotFound, "There is no such file."}, path);
  }
  return respond(request, files_.at("index.html"));
}

}  // namespace benchhud::server
