#include "schema/places/s3_answers.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "schema/base/ascii.h"
#include "schema/base/time.h"
#include "schema/places/xml_answer.h"

namespace benchhud::schema {
namespace {

constexpr std::size_t kMostCodeBytes = 64;

/// Codes of errors are names, and short.
bool is_code(std::string_view text) {
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '_'; };
  return text.size() <= kMostCodeBytes && std::all_of(text.begin(), text.end(), fits);
}

Expected<std::int64_t> read_size(const std::string& text) {
  std::int64_t size = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && size >= 0) return size;
  return Error{ErrorCode::kInvalidArgument, "the size of an object is no number"};
}

Expected<double> read_time(const std::string& text) {
  if (const auto time = parse_time(text)) return *time;
  return Error{ErrorCode::kInvalidArgument, "the time of an object is none"};
}

}  // namespace

S3Error read_s3_error(std::string_view body) {
  S3Error error;
  const auto read = read_xml(body, [&](std::string_view path, const std::string& text) {
    if (path == "Error/Code" && is_code(text)) error.code = text;
    if (path == "Error/Message") error.message = text;
    if (path == "Error/Region") error.region = text;
    return Expected<void>();
  });
  return read ? error : S3Error();
}

Expected<S3List> read_s3_list(std::string_view body) {
  S3List list;
  PlacedObject object;
  std::string next;
  std::optional<std::string> is_truncated;
  bool is_list = false, has_size = false, has_time = false;
  BENCHHUD_TRY(
      read_xml(body, [&](std::string_view path, const std::string& text) -> Expected<void> {
        if (path == "ListBucketResult") is_list = true;
        if (path == "ListBucketResult/IsTruncated") is_truncated = text;
        if (path == "ListBucketResult/NextContinuationToken") next = text;
        if (path == "ListBucketResult/Contents/Key") object.key = text;
        if (path == "ListBucketResult/Contents/Size") {
          BENCHHUD_ASSIGN(object.byte_count, read_size(text));
          has_size = true;
        }
        if (path == "ListBucketResult/Contents/LastModified") {
          BENCHHUD_ASSIGN(object.modified, read_time(text));
          has_time = true;
        }
        if (path == "ListBucketResult/Contents") {
          if (object.key.empty() || !has_size || !has_time) {
            return Error{ErrorCode::kInvalidArgument, "an object lacks its key, size or time"};
          }
          list.objects.push_back(std::exchange(object, {}));
          has_size = has_time = false;
        }
        return {};
      }));
  if (!is_list) return Error{ErrorCode::kInvalidArgument, "it is no list of objects"};
  if (is_truncated != "true" && is_truncated != "false") {
    return Error{ErrorCode::kInvalidArgument, "the list does not say whether it goes on"};
  }
  if (is_truncated == "true") list.next = std::move(next);
  if (is_truncated == "true" && list.next.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the list goes on, but does not say where"};
  }
  return list;
}

}  // namespace benchhud::schema
