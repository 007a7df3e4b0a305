#include "server/http/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "schema/base/ascii.h"

namespace benchhud::server {
namespace {

std::string squeezed(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != ' ' && c != '\t') plain += schema::lower(c);
  }
  return plain;
}

/// `q=0`, `q=0.0`, …: not wanted.
bool is_refused(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return false;
  const auto weight = parameters.substr(at + 2);
  return !weight.empty() && weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

std::string gzip(std::string_view bytes, Effort effort) {
  constexpr int kGzipWrapper = 16;
  z_stream stream{};
  const int level = effort == Effort::kThorough ? Z_BEST_COMPRESSION : Z_BEST_SPEED;
  if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + kGzipWrapper, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return {};
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  // zlib takes its input as not const, but only reads it.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool complete = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(complete ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  std::string plain = squeezed(accept_encoding);
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto item = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto coding = item.substr(0, item.find(';'));
    const bool refused = is_refused(item.substr(coding.size()));
    if (coding == "gzip" || coding == "x-gzip") return !refused;
    if (coding == "*") any = !refused;
  }
  return any;
}

}  // namespace benchhud::server
