#include "schema/places/object_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/base/ascii.h"
#include "schema/base/text_excerpt.h"
#include "schema/places/folder_place.h"
#include "schema/places/s3_address.h"
#include "schema/places/s3_place.h"

namespace benchhud::schema {
namespace {

constexpr std::size_t kMostKeyBytes = 512;
constexpr std::string_view kBucketScheme = "s3:";

bool is_part_of_key(std::string_view part) {
  return !part.empty() && part.front() != '.' && std::all_of(part.begin(), part.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
  });
}

bool is_of_scheme(char c) { return is_letter(c) || is_digit(c); }

/// `gs` of `gs://…`; "" of a path.
std::string_view scheme_of(std::string_view address) {
  const auto end = address.find("://");
  if (end == address.npos || end == 0) return {};
  const std::string_view scheme = address.substr(0, end);
  return std::all_of(scheme.begin(), scheme.end(), is_of_scheme) ? scheme : std::string_view();
}

bool is_folder(std::string_view address) {
  return !address.starts_with(kBucketScheme) && scheme_of(address).empty();
}

}  // namespace

Expected<void> check_key(std::string_view key) {
  bool is_key = !key.empty() && key.size() <= kMostKeyBytes;
  for (std::string_view rest = key; is_key;) {
    const auto end = rest.find('/');
    is_key = is_part_of_key(rest.substr(0, end));
    if (end == rest.npos) break;
    rest.remove_prefix(end + 1);
  }
  if (is_key) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("\"{}\" is not a valid object key", name_in_sentence(key))};
}

Error too_large(const std::filesystem::path& file, std::int64_t byte_count) {
  return {ErrorCode::kTooLarge, fmt::format("{} has {} bytes; an object may have {}", file.string(),
                                            byte_count, kMostObjectBytes)};
}

Expected<std::unique_ptr<ObjectPlace>> open_place(std::string_view address,
                                                  const PlaceOptions& options) {
  if (address.starts_with(kBucketScheme)) {
    BENCHHUD_ASSIGN(S3Address bucket, parse_s3_address(address));
    return std::unique_ptr<ObjectPlace>(std::make_unique<S3Place>(std::move(bucket), options));
  }
  if (!is_folder(address)) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{}: no place is opened by {}://; give the path of a folder or s3://BUCKET",
                    name_in_sentence(address), scheme_of(address))};
  }
  return FolderPlace::open(std::filesystem::path(address), options);
}

Expected<void> mark_place(std::string_view address, const std::string& id) {
  if (!is_place_id(id)) return Error{ErrorCode::kInvalidArgument, "the place's id is none"};
  if (is_folder(address)) return FolderPlace::mark(std::filesystem::path(address), id);
  if (!address.starts_with(kBucketScheme)) return open_place(address).error();
  BENCHHUD_ASSIGN(S3Address bucket, parse_s3_address(address));
  return S3Place(std::move(bucket), {}).mark(id);
}

Error is_of_another_store(std::string_view address, std::string_view mark) {
  return {ErrorCode::kConflict,
          fmt::format("{} has the objects of another store: give each store a folder or a prefix "
                      "of its own. If that store is gone for good, remove {} there first",
                      address, mark)};
}

bool is_place_id(std::string_view text) {
  return text.size() == kPlaceIdDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f');
         });
}

}  // namespace benchhud::schema
