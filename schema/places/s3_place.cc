#include "schema/places/s3_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "schema/base/text_excerpt.h"
#include "schema/base/time.h"
#include "schema/places/s3_answers.h"

namespace benchhud::schema {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLongestPause{10'000};
constexpr int kKeysPerPage = 1000;
constexpr std::string_view kMarkPrefix = ".benchhud-place/";  // an id follows; is no object's key
constexpr int kMostEmptyPages = 1000;  // in a row: a store may have removed what it would list
constexpr std::size_t kMostShownBytes = 200;  // of a text that the place sends
constexpr const char* kSha256OfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// SHA-256 in hex. The file is read from its beginning, and is there again afterwards.
Expected<std::string> sha256_of(const InputFile& file) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  const auto buffer = std::make_unique<char[]>(kBytesReadAtOnce);
  bool is_right = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  while (is_right) {
    BENCHHUD_ASSIGN(const std::string_view bytes, read_some(file, buffer.get(), kBytesReadAtOnce));
    if (bytes.empty()) break;
    is_right = EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (!is_right || EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) {
    return Error{ErrorCode::kInternal, "SHA-256 cannot be computed"};
  }
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

Expected<void> rewind_file(const InputFile& file) {
  if (lseek(file.file.descriptor(), 0, SEEK_SET) == 0) return {};
  return Error{ErrorCode::kIo, "the file cannot be read again from its beginning"};
}

/// What the codes of S3's errors mean here (Amazon S3 API reference, "List of error codes").
struct S3Advice {
  std::string_view code;
  ErrorCode error;
  std::string_view advice;  // {keys} is the access key and where it is from
};

constexpr std::array kAdvice = {
    S3Advice{"NoSuchBucket", ErrorCode::kPlaceRefused,
             "there is no such bucket; make it, or correct the address of the place"},
    S3Advice{"InvalidAccessKeyId", ErrorCode::kPlaceRefused,
             "{keys} is not known there; check which store and account the key is of"},
    S3Advice{"SignatureDoesNotMatch", ErrorCode::kPlaceRefused,
             "the secret of {keys} is wrong, or the key is not known there; set the right ones"},
    S3Advice{"ExpiredToken", ErrorCode::kPlaceRefused, "{keys} has expired; get new credentials"},
    S3Advice{"InvalidToken", ErrorCode::kPlaceRefused,
             "the session token of {keys} does not belong to it; set all three again"},
    S3Advice{"TokenRefreshRequired", ErrorCode::kPlaceRefused,
             "{keys} has expired; get new credentials"},
    S3Advice{"QuotaExceeded", ErrorCode::kFull, "the bucket may not get larger; raise its quota"},
    S3Advice{"XMinioStorageFull", ErrorCode::kFull, "the object store has no space left"},
    S3Advice{"EntityTooLarge", ErrorCode::kTooLarge,
             "the object is larger than what it takes, or a quota is used up"},
};

bool is_transient_code(std::string_view code) {
  return code == "RequestTimeout" || code == "SlowDown" || code == "InternalError" ||
         code == "ServiceUnavailable" || code == "OperationAborted" || code == "Throttling" ||
         // Bytes were lost or changed on the way.
         code == "BadDigest" || code == "XAmzContentSHA256Mismatch" || code == "IncompleteBody";
}

/// Between half and all of it: clients that failed together do not come back together.
milliseconds shortened(milliseconds pause) {
  thread_local std::minstd_rand random(std::random_device{}());
  return pause / 2 + milliseconds(random() % static_cast<unsigned>(pause.count() / 2 + 1));
}

std::string named(const AwsKeys& keys) {
  return fmt::format("the access key {} ({})", beginning_of(keys.id, 64), keys.source);
}

std::string clock_difference(const HttpAnswer& answer) {
  if (!answer.server_time) return "this machine's clock and that of the place differ too much";
  const double behind = *answer.server_time - now();
  return fmt::format("this machine's clock is {:.0f} s {} that of the place", std::abs(behind),
                     behind > 0 ? "behind" : "ahead of");
}

Error cannot_be_understood(std::string_view why) {
  return {ErrorCode::kPlaceRefused,
          fmt::format("the answer is not what an S3 store says ({}); check the endpoint", why)};
}

}  // namespace

struct S3Place::Try {
  std::optional<HttpAnswer> answer;
  Error error;
  std::optional<milliseconds> wait;  // another try may succeed after at least so long
  bool wants_new_keys = false;
};

S3Place::S3Place(S3Address address, const PlaceOptions& options)
    : place_(std::move(address)),
      address_text_(place_.text()),
      options_(options),
      client_({options.connect_limit, options.stall_limit, options.answer_limit,
               options.store_limit, options.gives_up}),
      credentials_(options.gives_up) {}

Error S3Place::error_of(const Operation& operation, ErrorCode code, std::string_view why) const {
  return {code, fmt::format("cannot {} in {}: {}", operation.what, address_text_, why)};
}

bool S3Place::pause(milliseconds duration) const {
  const auto end = steady_clock::now() + duration;
  while (steady_clock::now() < end) {
    if (options_.gives_up && options_.gives_up()) return false;
    constexpr milliseconds kSlice{50};
    std::this_thread::sleep_for(
        std::min(kSlice, std::chrono::ceil<milliseconds>(end - steady_clock::now())));
  }
  return true;
}

Expected<HttpAnswer> S3Place::send(const Operation& operation, HttpRequest request,
                                   const std::function<Expected<void>()>& before_retry) {
  milliseconds next_pause = options_.first_pause;
  bool has_new_keys = false;
  for (int tries = 1;; ++tries) {
    Try tried = send_once(operation, &request);
    if (tried.answer) return *std::move(tried.answer);
    if (tried.wants_new_keys && !std::exchange(has_new_keys, true)) {
      credentials_.forget();
    } else {
      if (!tried.wait) return std::move(tried.error);
      if (tries >= options_.most_tries) {
        tried.error.message += fmt::format("; it was tried {} times, try again later", tries);
        return std::move(tried.error);
      }
      const milliseconds at_least = std::min(*tried.wait, kLongestPause);
      if (!pause(std::max(shortened(next_pause), at_least))) return std::move(tried.error);
      next_pause = std::min(2 * next_pause, kLongestPause);
    }
    if (before_retry) {
      BENCHHUD_TRY(before_retry());
    }
  }
}

S3Place::Try S3Place::send_once(const Operation& operation, HttpRequest* request) {
  Try tried;
  const auto keys = credentials_.get();
  if (!keys) {
    tried.error = error_of(operation, keys.error().code, keys.error().message);
    if (keys.error().code == ErrorCode::kUnavailable) tried.wait = milliseconds(0);
    return tried;
  }
  HttpRequest signed_request = *request;
  signed_request.signature->region = place_.region_or_default();
  signed_request.signature->key_id = keys->id;
  signed_request.signature->secret = keys->secret;
  if (!keys->token.empty()) {
    signed_request.headers.push_back("x-amz-security-token: " + keys->token);
  }
  auto sent = client_.send(signed_request);
  if (auto* answer = std::get_if<HttpAnswer>(&sent)) {
    const bool is_done =
        answer->status == 200 || (answer->status == 204 && request->method == "DELETE");
    if (!is_done) return refused(operation, *answer, *keys);
    tried.answer = std::move(*answer);
    return tried;
  }
  HttpFailure& failure = std::get<HttpFailure>(sent);
  if (failure.kind == HttpFailure::Kind::kTransient) tried.wait = milliseconds(0);
  if (failure.kind == HttpFailure::Kind::kCertificate) {
    failure.error.message = "certificate verification failed: " + failure.error.message +
                            "; AWS_CA_BUNDLE names the file of the authorities to be trusted";
  }
  tried.error = error_of(operation, failure.error.code, keys->redacted(failure.error.message));
  return tried;
}

S3Place::Try S3Place::refused(const Operation& operation, const HttpAnswer& answer,
                              const AwsKeys& keys) {
  S3Error error = read_s3_error(answer.body);
  error.code = keys.redacted(error.code);
  // Cut only behind that: nobody recognises half a token.
  const auto shown = [&](const std::string& text) {
    return name_in_sentence(keys.redacted(text), kMostShownBytes);
  };
  Try tried;
  const auto because = [&](ErrorCode code, const std::string& why) {
    const std::string number = error.code.empty() ? fmt::format("status {}", answer.status)
                                                  : fmt::format("{} {}", answer.status, error.code);
    tried.error = error_of(operation, code, fmt::format("{} ({})", why, number));
    return tried;
  };
  if (is_transient_status(answer.status) || is_transient_code(error.code)) {
    tried.wait = answer.retry_after;
    return because(ErrorCode::kUnavailable, "the place fails for the moment");
  }
  if (error.code == "NoSuchKey") return because(ErrorCode::kNotFound, "there is no such object");
  if (error.code == "RequestTimeTooSkewed") {
    return because(ErrorCode::kPlaceRefused, clock_difference(answer) + "; set it by NTP");
  }
  const std::string region = shown(error.region.empty() ? answer.region : error.region);
  const bool is_elsewhere = answer.status == 301 || answer.status == 302 || answer.status == 307 ||
                            answer.status == 308 || error.code == "AuthorizationHeaderMalformed";
  if (is_elsewhere && !region.empty() && region != place_.region_or_default()) {
    return because(
        ErrorCode::kPlaceRefused,
        fmt::format("the bucket is in the region {}, not in {}; put region={} into the address "
                    "of the place",
                    region, place_.region_or_default(), region));
  }
  for (const S3Advice& row : kAdvice) {
    if (row.code != error.code) continue;
    tried.wants_new_keys = keys.expires && row.advice.find("{keys}") != row.advice.npos;
    return because(row.error, fmt::format(fmt::runtime(row.advice), fmt::arg("keys", named(keys))));
  }
  if (answer.status == 403 || answer.status == 401) {
    return because(ErrorCode::kPlaceRefused,
                   fmt::format("{} lacks permission: it needs {} on the bucket", named(keys),
                               operation.right));
  }
  if (answer.status == 507) return because(ErrorCode::kFull, "the object store has no space left");
  if (error.code.empty()) {
    return because(ErrorCode::kPlaceRefused,
                   cannot_be_understood(answer.content_type.empty() ? "no content"
                                                                    : shown(answer.content_type))
                       .message);
  }
  return because(ErrorCode::kPlaceRefused,
                 error.message.empty() ? "the place refuses" : shown(error.message));
}

Expected<std::vector<std::string>> S3Place::marks() {
  std::vector<std::string> ids;
  BENCHHUD_TRY(list_pages({"look whose objects are", "s3:ListBucket"}, kMarkPrefix, kKeysPerPage,
                          [&](PlacedObject& mark) {
                            ids.push_back(mark.key.substr(kMarkPrefix.size()));
                            return Expected<bool>(true);
                          }));
  return ids;
}

Expected<void> S3Place::check_mark() {
  if (options_.id.empty() || has_mark_) return {};
  BENCHHUD_ASSIGN(const auto ids, marks());
  if (std::ranges::find(ids, options_.id) == ids.end()) {
    return Error{
        ErrorCode::kPlaceRefused,
        fmt::format("{} is not the place that was set: the object {}{} is missing; correct "
                    "the bucket, its prefix or the endpoint",
                    address_text_, kMarkPrefix, options_.id)};
  }
  // Where an object store's lists lag behind its objects, two may have marked it at the same time.
  const auto other =
      std::ranges::find_if(ids, [&](const std::string& id) { return id != options_.id; });
  if (other != ids.end()) {
    return Error{ErrorCode::kPlaceRefused,
                 fmt::format("{} is marked as the place of two stores, by the object {}{} and, for "
                             "this one, {}{}: give one of them another place, and remove its mark. "
                             "Nothing is put there or removed until then",
                             address_text_, kMarkPrefix, *other, kMarkPrefix, options_.id)};
  }
  has_mark_ = true;
  return {};
}

Expected<void> S3Place::mark(const std::string& id) {
  const auto check_others = [&](const std::vector<std::string>& ids) -> Expected<void> {
    for (const std::string& each : ids) {
      if (each != id) {
        return is_of_another_store(address_text_,
                                   fmt::format("the object {}{}", kMarkPrefix, each));
      }
    }
    return {};
  };
  BENCHHUD_ASSIGN(const auto before, marks());
  BENCHHUD_TRY(check_others(before));
  if (!before.empty()) return {};
  const std::string key = fmt::format("{}{}", kMarkPrefix, id);
  const InputFile nothing{FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)), 0};
  BENCHHUD_TRY(put_file(key, nothing));
  // Of two stores that do this at the same time, at least one sees the other's: a list has all that
  // was put before it began.
  BENCHHUD_ASSIGN(const auto after, marks());
  const auto checked = check_others(after);
  if (!checked) {
    BENCHHUD_TRY(remove_object(key));
  }
  return checked;
}

Expected<void> S3Place::put(std::string_view key, const std::filesystem::path& file) {
  BENCHHUD_TRY(check_key(key));
  BENCHHUD_ASSIGN(const InputFile from, InputFile::open(file));
  if (from.byte_count > kMostObjectBytes) return too_large(file, from.byte_count);
  BENCHHUD_TRY(check_mark());
  return put_file(key, from);
}

Expected<void> S3Place::put_file(std::string_view key, const InputFile& from) {
  HttpRequest request;
  request.method = "PUT";
  request.url = fmt::format("{}{}{}", place_.base_url(), place_.prefix, key);
  request.body = &from;
  request.signature.emplace();
  BENCHHUD_ASSIGN(request.signature->content_sha256, sha256_of(from));
  BENCHHUD_TRY(rewind_file(from));
  const std::string what = fmt::format("put {}", key);
  BENCHHUD_TRY(send({what, "s3:PutObject"}, std::move(request), [&] { return rewind_file(from); }));
  return {};
}

Expected<void> S3Place::fetch(std::string_view key, const std::filesystem::path& file,
                              std::int64_t most_bytes) {
  BENCHHUD_TRY(check_key(key));
  BENCHHUD_ASSIGN(TemporaryFile written, TemporaryFile::make(file));
  HttpRequest request;
  request.url = fmt::format("{}{}{}", place_.base_url(), place_.prefix, key);
  request.into = &written;
  request.most_bytes = most_bytes;
  request.signature.emplace().content_sha256 = kSha256OfNothing;
  const std::string what = fmt::format("fetch {}", key);
  const auto sent =
      send({what, "s3:GetObject"}, std::move(request), [&] { return written.begin_again(); });
  // Of what is not in another place nothing is said.
  if (!sent && sent.error().code == ErrorCode::kNotFound) {
    BENCHHUD_TRY(check_mark());
  }
  BENCHHUD_TRY(sent);
  return written.keep();
}

Expected<void> S3Place::remove(std::string_view key) {
  BENCHHUD_TRY(check_key(key));
  BENCHHUD_TRY(check_mark());
  return remove_object(key);
}

Expected<void> S3Place::remove_object(std::string_view key) {
  HttpRequest request;
  request.method = "DELETE";
  request.url = fmt::format("{}{}{}", place_.base_url(), place_.prefix, key);
  request.signature.emplace().content_sha256 = kSha256OfNothing;
  const std::string what = fmt::format("remove {}", key);
  const auto removed = send({what, "s3:DeleteObject"}, std::move(request));
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed.error();
  return {};
}

Expected<S3List> S3Place::list_page(const Operation& operation, std::string_view prefix,
                                    const std::string& from, int most_keys) {
  HttpRequest request;
  // A signature is of the parameters in the order of their names.
  request.url = place_.base_url() + "?";
  if (!from.empty()) request.url += "continuation-token=" + url_escaped(from) + "&";
  request.url += fmt::format("list-type=2&max-keys={}&prefix={}", most_keys,
                             url_escaped(place_.prefix + std::string(prefix)));
  request.signature.emplace().content_sha256 = kSha256OfNothing;
  BENCHHUD_ASSIGN(const HttpAnswer answer, send(operation, std::move(request)));
  auto page = read_s3_list(answer.body);
  if (!page) {
    const Error error = cannot_be_understood(page.error().message);
    return error_of(operation, error.code, error.message);
  }
  return page;
}

Expected<void> S3Place::list_pages(const Operation& operation, std::string_view prefix,
                                   int keys_per_page,
                                   const std::function<Expected<bool>(PlacedObject&)>& visit) {
  const auto does_not_end = [&](std::string_view why) {
    const Error error = cannot_be_understood(why);
    return error_of(operation, error.code, error.message);
  };
  std::string from, last;
  for (int empty_pages = 0; empty_pages <= kMostEmptyPages;) {
    BENCHHUD_ASSIGN(S3List page, list_page(operation, prefix, from, keys_per_page));
    empty_pages = page.objects.empty() ? empty_pages + 1 : 0;
    for (PlacedObject& object : page.objects) {
      // A list in order ends, and names no object twice.
      if (object.key <= last) return does_not_end("the list is not in the order of its keys");
      last = object.key;
      if (!object.key.starts_with(place_.prefix)) continue;
      object.key.erase(0, place_.prefix.size());
      BENCHHUD_ASSIGN(const bool goes_on, visit(object));
      if (!goes_on) return {};
    }
    if (page.next.empty()) return {};
    from = std::move(page.next);
  }
  return does_not_end(fmt::format("the list has {} empty pages in a row", kMostEmptyPages));
}

Expected<std::optional<PlacedObject>> S3Place::find(std::string_view key) {
  BENCHHUD_TRY(check_key(key));
  // Not HEAD: its answers have no body that would tell a missing bucket from a missing object. A
  // key is the first of those that begin with it.
  const std::string what = fmt::format("look for {}", key);
  std::optional<PlacedObject> found;
  BENCHHUD_TRY(list_pages({what, "s3:ListBucket"}, key, 1, [&](PlacedObject& first) {
    if (first.key == key) found = std::move(first);
    return Expected<bool>(false);
  }));
  if (!found) {
    BENCHHUD_TRY(check_mark());
  }
  return found;
}

Expected<void> S3Place::list(std::string_view prefix,
                             const std::function<Expected<void>(const PlacedObject&)>& visit) {
  BENCHHUD_TRY(check_mark());
  const std::string what = fmt::format("list {}", prefix.empty() ? "objects" : prefix);
  return list_pages({what, "s3:ListBucket"}, prefix, kKeysPerPage,
                    [&](PlacedObject& object) -> Expected<bool> {
                      if (check_key(object.key)) {
                        BENCHHUD_TRY(visit(object));
                      }
                      return true;
                    });
}

}  // namespace benchhud::schema
