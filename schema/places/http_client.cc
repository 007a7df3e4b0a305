#include "schema/places/http_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "schema/base/ascii.h"
#include "schema/base/caught_error.h"
#include "schema/base/text_excerpt.h"
#include "schema/places/curl_library.h"

namespace benchhud::schema {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Of an answer that does not go into a file. A page of a list has 1,000 keys of up to 1 kB.
constexpr std::size_t kMostTextBytes = 8 << 20;
constexpr curl_off_t kLongestRetryAfter = 24L * 60 * 60;  // seconds
constexpr curl_off_t kSlowestBytesPerSecond = 1000;

/// For whoever has something of it, so that it is loaded.
const CurlLibrary& curl_functions() { return **curl_library(); }

/// While it lives, a peer that has gone ends a write of this thread with an error and not the
/// process with SIGPIPE, which OpenSSL would let it do.
class BlockedSigpipe {
 public:
  BlockedSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  BlockedSigpipe(const BlockedSigpipe&) = delete;
  BlockedSigpipe& operator=(const BlockedSigpipe&) = delete;
  ~BlockedSigpipe() {
    if (sigismember(&before_, SIGPIPE) != 0) return;
    const timespec no_time{};
    while (sigtimedwait(&pipe_, nullptr, &no_time) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
};

struct FreeList {
  void operator()(curl_slist* list) const { curl_functions().slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

/// How long a transfer has been slow. libcurl's own limit is the same for one that has been sent
/// whole and waits for the other side to store it.
class Progress {
 public:
  /// Since when fewer than `enough` bytes have moved, of the `moved` ones in all. It begins again
  /// when the body has been sent, or is sent again.
  steady_clock::duration slow_for(curl_off_t moved, curl_off_t enough, bool is_sent) {
    const auto time = steady_clock::now();
    if (moved - moved_ >= enough || moved < moved_ || is_sent != is_sent_) {
      begin_ = time;
      moved_ = moved;
      is_sent_ = is_sent;
    }
    return time - begin_;
  }

 private:
  steady_clock::time_point begin_ = steady_clock::now();
  curl_off_t moved_ = 0;
  bool is_sent_ = false;
};

/// What libcurl's callbacks are given.
struct Transfer {
  CURL* curl;
  const HttpRequest& request;
  const HttpLimits& limits;
  HttpAnswer answer;
  std::optional<HttpFailure> failure;  // why a callback ended the transfer
  Progress progress{};
  std::optional<steady_clock::time_point> text_began{};

  bool fail(HttpFailure::Kind kind, Error error) {
    failure = HttpFailure{kind, std::move(error)};
    return false;
  }

  bool take_into_file(std::string_view bytes) {
    if (request.into->byte_count() + static_cast<std::int64_t>(bytes.size()) > request.most_bytes) {
      return fail(
          HttpFailure::Kind::kTooLarge,
          {ErrorCode::kCorrupt, fmt::format("it has more than {} bytes", request.most_bytes)});
    }
    const auto written = request.into->write(bytes);
    return written || fail(HttpFailure::Kind::kFile, written.error());
  }

  bool take(std::string_view bytes) {
    long status = 0;
    curl_functions().easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (request.into && status == 200) return take_into_file(bytes);
    if (!text_began) text_began = steady_clock::now();
    if (answer.body.size() + bytes.size() > kMostTextBytes) {
      return fail(
          HttpFailure::Kind::kTooLarge,
          {ErrorCode::kTooLarge, fmt::format("the answer has more than {} bytes", kMostTextBytes)});
    }
    answer.body += bytes;
    return true;
  }
};

/// What `work` returns for the transfer that is libcurl's `data`; `failed` where it throws, which
/// must not pass through libcurl.
template <class Result, class Work>
Result guarded(void* data, Result failed, const Work& work) {
  Transfer& transfer = *static_cast<Transfer*>(data);
  try {
    return work(transfer);
  } catch (const std::exception&) {
    transfer.fail(HttpFailure::Kind::kOther, caught_error());
    return failed;
  }
}

std::size_t write_callback(char* bytes, std::size_t size, std::size_t count, void* data) {
  return guarded(data, std::size_t{CURL_WRITEFUNC_ERROR}, [&](Transfer& transfer) {
    return transfer.take({bytes, size * count}) ? size * count : std::size_t{CURL_WRITEFUNC_ERROR};
  });
}

std::size_t read_callback(char* buffer, std::size_t size, std::size_t count, void* data) {
  return guarded(data, std::size_t{CURL_READFUNC_ABORT}, [&](Transfer& transfer) {
    const auto bytes = read_some(*transfer.request.body, buffer, size * count);
    if (bytes && !bytes->empty()) return bytes->size();
    // libcurl asks for no more than it was told that there are.
    transfer.fail(HttpFailure::Kind::kFile, bytes ? changed_meanwhile("the file") : bytes.error());
    return std::size_t{CURL_READFUNC_ABORT};
  });
}

/// A connection that was kept may turn out to be dead; libcurl then sends the body again.
int seek_callback(void* data, curl_off_t at, int origin) {
  const int file = static_cast<Transfer*>(data)->request.body->file.descriptor();
  return lseek(file, at, origin) >= 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

void take_header_line(std::string_view line, HttpAnswer* into) {
  HttpAnswer& answer = *into;
  const auto colon = line.find(':');
  if (colon == line.npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::string value(trim(line.substr(colon + 1)));
  if (equal_ignoring_case(name, "x-amz-bucket-region")) answer.region = value;
  if (equal_ignoring_case(name, "content-type")) answer.content_type = value;
  if (equal_ignoring_case(name, "date")) {
    const time_t time = curl_functions().getdate(value.c_str(), nullptr);
    if (time >= 0) answer.server_time = static_cast<double>(time);
  }
}

std::size_t header_callback(char* bytes, std::size_t size, std::size_t count, void* data) {
  return guarded(data, std::size_t{CURL_WRITEFUNC_ERROR}, [&](Transfer& transfer) {
    take_header_line({bytes, size * count}, &transfer.answer);
    return size * count;
  });
}

/// Whether to go on, after so many bytes.
bool goes_on(Transfer* transfer, curl_off_t received, curl_off_t sent) {
  const HttpLimits& limits = transfer->limits;
  const auto end = [&](HttpFailure::Kind kind, std::string why) {
    return transfer->fail(kind, {ErrorCode::kUnavailable, std::move(why)});
  };
  if (limits.gives_up && limits.gives_up()) {
    return end(HttpFailure::Kind::kCancelled, "it was given up");
  }
  const HttpRequest& request = transfer->request;
  if (transfer->text_began && steady_clock::now() - *transfer->text_began >= limits.answer) {
    return end(
        HttpFailure::Kind::kTransient,
        fmt::format("the answer is too slow: it was not whole after {} s", limits.answer.count()));
  }
  const bool is_sent = request.body && sent >= request.body->byte_count;
  const curl_off_t enough = is_sent ? std::numeric_limits<curl_off_t>::max()
                                    : kSlowestBytesPerSecond * limits.stall.count();
  const auto slow_for = transfer->progress.slow_for(received + sent, enough, is_sent);
  if (is_sent && slow_for >= limits.after_body) {
    return end(HttpFailure::Kind::kTransient,
               fmt::format("the answer is too slow: there was none {} s after all was sent",
                           limits.after_body.count()));
  }
  if (!is_sent && slow_for >= limits.stall) {
    return end(HttpFailure::Kind::kTransient,
               fmt::format("it is too slow: less than {} bytes a second for {} s",
                           kSlowestBytesPerSecond, limits.stall.count()));
  }
  return true;
}

/// Called by libcurl about once a second or oftener.
int progress_callback(void* data, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
  return guarded(data, 1,
                 [&](Transfer& transfer) { return goes_on(&transfer, received, sent) ? 0 : 1; });
}

/// What libcurl says of a transfer that failed. Of a proxy it says the whole address, with the
/// password that it may have.
std::string words_of(CURLcode code, std::string_view reason) {
  const std::string_view usual = curl_functions().easy_strerror(code);
  const bool is_of_proxy = code == CURLE_PROXY || code == CURLE_COULDNT_RESOLVE_PROXY ||
                           contains_ignoring_case(reason, "proxy");
  if (is_of_proxy) {
    return fmt::format("{}; check the proxy that https_proxy, http_proxy or all_proxy names",
                       usual);
  }
  return name_in_sentence(reason.empty() ? usual : reason, CURL_ERROR_SIZE);
}

HttpFailure::Kind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return HttpFailure::Kind::kCertificate;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_NOT_BUILT_IN:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_UNKNOWN_OPTION:
      return HttpFailure::Kind::kOther;
    default:
      return HttpFailure::Kind::kTransient;
  }
}

/// Sets the options of a request, and stops at the first that libcurl does not take. A request that
/// lacks one is never sent: without its limits it might never end, and without its signature the
/// secret would go out as the password of another way to log in.
class RequestOptions {
 public:
  explicit RequestOptions(CURL* curl) : curl_(curl) {}

  template <class T>
  void set(CURLoption option, T value) {
    if (code_ == CURLE_OK) code_ = curl_functions().easy_setopt(curl_, option, value);
  }
  void add_header(const std::string& line) {
    if (code_ != CURLE_OK) return;
    curl_slist* const longer = curl_functions().slist_append(headers_.get(), line.c_str());
    if (!longer) code_ = CURLE_OUT_OF_MEMORY;
    if (longer && !headers_) headers_.reset(longer);
  }
  void set_headers() { set(CURLOPT_HTTPHEADER, headers_.get()); }

  /// Why an option was not taken; nothing where all were.
  std::optional<HttpFailure> failure() const {
    if (code_ == CURLE_OK) return {};
    const bool lacks_memory = code_ == CURLE_OUT_OF_MEMORY;
    return HttpFailure{HttpFailure::Kind::kOther,
                       {lacks_memory ? ErrorCode::kNoMemory : ErrorCode::kUnsupported,
                        fmt::format("libcurl {} cannot send the request: {}",
                                    curl_functions().version_info(CURLVERSION_NOW)->version,
                                    curl_functions().easy_strerror(code_))}};
  }

 private:
  CURL* curl_;
  HeaderList headers_;  // libcurl reads it as long as the request lasts
  CURLcode code_ = CURLE_OK;
};

void set_limits(RequestOptions* options, const HttpLimits& limits) {
  options->set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  options->set(CURLOPT_PROTOCOLS_STR, "http,https");
  options->set(CURLOPT_FOLLOWLOCATION, 0L);
  options->set(CURLOPT_NOSIGNAL, 1L);  // signals are the program's
  options->set(CURLOPT_NOPROGRESS, 0L);
  // A file of logins in the home of whoever runs this is none of ours.
  options->set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  if (const char* authorities = std::getenv("AWS_CA_BUNDLE"); authorities && *authorities) {
    options->set(CURLOPT_CAINFO, authorities);
  }
}

void set_request(RequestOptions* options, const HttpRequest& request, const HttpLimits& limits) {
  options->set(CURLOPT_URL, request.url.c_str());
  options->set(CURLOPT_PATH_AS_IS, 1L);
  for (const std::string& line : request.headers) options->add_header(line);
  if (request.signature) {
    options->add_header("x-amz-content-sha256: " + request.signature->content_sha256);
  }
  options->set_headers();
  if (!request.body && !request.into) {
    options->set(CURLOPT_TIMEOUT_MS, static_cast<long>(milliseconds(limits.answer).count()));
  }
  if (!request.uses_proxy) options->set(CURLOPT_PROXY, "");
  if (request.body) {
    options->set(CURLOPT_UPLOAD, 1L);
    options->set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body->byte_count));
  }
  options->set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.signature) {
    const AwsSignature& signature = *request.signature;
    const std::string scope = fmt::format("aws:amz:{}:s3", signature.region);
    options->set(CURLOPT_AWS_SIGV4, scope.c_str());
    options->set(CURLOPT_USERNAME, signature.key_id.c_str());
    options->set(CURLOPT_PASSWORD, signature.secret.c_str());
  }
}

void set_callbacks(RequestOptions* options, Transfer* transfer) {
  options->set(CURLOPT_WRITEFUNCTION, write_callback);
  options->set(CURLOPT_WRITEDATA, transfer);
  options->set(CURLOPT_READFUNCTION, read_callback);
  options->set(CURLOPT_READDATA, transfer);
  options->set(CURLOPT_SEEKFUNCTION, seek_callback);
  options->set(CURLOPT_SEEKDATA, transfer);
  options->set(CURLOPT_HEADERFUNCTION, header_callback);
  options->set(CURLOPT_HEADERDATA, transfer);
  options->set(CURLOPT_XFERINFOFUNCTION, progress_callback);
  options->set(CURLOPT_XFERINFODATA, transfer);
}

}  // namespace

/// One of libcurl's handles, which keeps its connections.
struct HttpClient::Handle {
  CURL* curl = curl_functions().easy_init();

  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (!curl) return;
    const BlockedSigpipe blocked;
    curl_functions().easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_functions().easy_cleanup(curl);  // says goodbye on its connections
  }
};

HttpClient::HttpClient(HttpLimits limits) : limits_(std::move(limits)) {}
HttpClient::~HttpClient() = default;

std::unique_ptr<HttpClient::Handle> HttpClient::take_handle() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<Handle>();
  std::unique_ptr<Handle> handle = std::move(idle_.back());
  idle_.pop_back();
  return handle;
}

void HttpClient::give_back(std::unique_ptr<Handle> handle) {
  curl_functions().easy_reset(handle->curl);  // its connections stay open
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(handle));
}

std::variant<HttpAnswer, HttpFailure> HttpClient::send(const HttpRequest& request) {
  if (const auto library = curl_library(); !library) {
    return HttpFailure{HttpFailure::Kind::kOther, library.error()};
  }
  std::unique_ptr<Handle> handle = take_handle();
  CURL* const curl = handle->curl;
  if (!curl)
    return HttpFailure{HttpFailure::Kind::kOther, {ErrorCode::kNoMemory, "libcurl has no memory"}};
  Transfer transfer{curl, request, limits_, {}, {}};
  std::array<char, CURL_ERROR_SIZE> reason{};
  RequestOptions options(curl);
  set_limits(&options, limits_);
  set_request(&options, request, limits_);
  set_callbacks(&options, &transfer);
  options.set(CURLOPT_ERRORBUFFER, reason.data());
  if (auto failure = options.failure()) {
    give_back(std::move(handle));
    return *std::move(failure);
  }
  const CURLcode code = [&] {
    const BlockedSigpipe blocked;
    return curl_functions().easy_perform(curl);
  }();
  long status = 0;
  curl_off_t retry_after = 0;
  curl_functions().easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_functions().easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
  give_back(std::move(handle));
  if (transfer.failure) return *std::move(transfer.failure);
  if (code == CURLE_OK) {
    transfer.answer.status = static_cast<int>(status);
    transfer.answer.retry_after =
        std::chrono::seconds(std::clamp<curl_off_t>(retry_after, 0, kLongestRetryAfter));
    return std::move(transfer.answer);
  }
  const HttpFailure::Kind kind = kind_of(code);
  return HttpFailure{
      kind,
      {kind == HttpFailure::Kind::kTransient ? ErrorCode::kUnavailable : ErrorCode::kPlaceRefused,
       words_of(code, reason.data())}};
}

std::optional<std::string> host_of_url(const std::string& url) {
  const auto library = curl_library();
  if (!library) return {};
  const CurlLibrary& curl = **library;
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> read(curl.url(), curl.url_cleanup);
  const auto part = [&](CURLUPart which) -> std::optional<std::string> {
    char* text = nullptr;
    if (curl.url_get(read.get(), which, &text, 0) != CURLUE_OK) return {};
    const std::unique_ptr<char, decltype(&curl_free)> freed(text, curl.free);
    return std::string(text);
  };
  if (!read || curl.url_set(read.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
  if (part(CURLUPART_USER) || part(CURLUPART_PASSWORD)) return {};
  return part(CURLUPART_HOST);
}

bool is_transient_status(int status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 ||
         status == 504;
}

std::string url_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool is_plain =
        is_letter(c) || is_digit(c) || std::string_view("-_.~").find(c) != std::string_view::npos;
    escaped += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

}  // namespace benchhud::schema
