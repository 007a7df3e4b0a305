#include "ingest/torch_trace/log_records.h"

#include <openssl/evp.h>

#include <algorithm>
#include <utility>

#include "ingest/text/text_parts.h"
#include "schema/base/check.h"

namespace benchhud::ingest {
namespace {

// Takes `text` off the front of `*line`, if it is there.
bool skip_text(std::string_view text, std::string_view* line) {
  if (!line->starts_with(text)) return false;
  line->remove_prefix(text.size());
  return true;
}

// "[rank3]:", as torch.distributed has it before each line.
std::optional<std::int64_t> take_rank(std::string_view* line) {
  std::string_view rest = *line;
  if (!skip_text("[rank", &rest)) return {};
  const std::size_t end = rest.find("]:");
  if (end == std::string_view::npos) return {};
  const auto rank = number_of<std::int64_t>(rest.substr(0, end));
  if (rank) *line = rest.substr(end + 2);
  return rank;
}

// Whether `text` has a digit wherever `form` has a 0, and else what `form` has.
bool has_form(std::string_view text, std::string_view form) {
  return text.size() >= form.size() &&
         std::equal(form.begin(), form.end(), text.begin(),
                    [](char f, char c) { return f == '0' ? is_digit(c) : f == c; });
}

}  // namespace

bool read_log_line(std::string_view line, LogRecord* record) {
  constexpr std::string_view kForm = "0000 00:00:00.";
  record->rank = take_rank(&line);
  if (line.empty() || std::string_view("VDIWEC").find(line[0]) == std::string_view::npos) {
    return false;
  }
  line.remove_prefix(1);
  if (!has_form(line, kForm)) return false;
  // The thread, the file and its line.
  const std::size_t end = line.find("] ");
  if (end == std::string_view::npos) return false;
  record->time = line.substr(0, line.find(' ', kForm.find(' ') + 1));
  line.remove_prefix(end + 2);
  if (const auto rank = take_rank(&line)) record->rank = rank;
  skip_text(" ", &line);
  record->json = line;
  return line.starts_with('{');
}

class LogRecords::Md5 {
 public:
  Md5() : context_(EVP_MD_CTX_new()) {
    BENCHHUD_CHECK(context_ != nullptr);
    restart();
  }
  ~Md5() { EVP_MD_CTX_free(context_); }
  Md5(const Md5&) = delete;
  Md5& operator=(const Md5&) = delete;

  void restart() { EVP_DigestInit_ex(context_, EVP_md5(), nullptr); }
  void update(std::string_view bytes) { EVP_DigestUpdate(context_, bytes.data(), bytes.size()); }
  std::string finish() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_, digest, &length);
    std::string hex;
    for (unsigned int i = 0; i < length; ++i) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      hex += kDigits[digest[i] >> 4U];
      hex += kDigits[digest[i] & 15U];
    }
    return hex;
  }

 private:
  EVP_MD_CTX* context_;
};

LogRecords::LogRecords(Visit visit) : visit_(std::move(visit)), md5_(std::make_unique<Md5>()) {}
LogRecords::~LogRecords() = default;

void LogRecords::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const bool is_begin = std::exchange(at_line_begin_, false);
    if (is_begin) in_payload_line_ = bytes[0] == '\t';
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (in_payload_line_) {
      add_to_payload(piece.substr(is_begin ? 1 : 0), is_begin);
    } else {
      add_to_line(piece);
    }
    if (end == std::string_view::npos) return;
    end_line();
    bytes.remove_prefix(end + 1);
  }
}

void LogRecords::finish() {
  if (!at_line_begin_) end_line();
  end_record();
}

void LogRecords::add_to_line(std::string_view piece) {
  const std::size_t room = kLongestLine - line_.size();
  is_too_long_ |= piece.size() > room;
  line_.append(piece.substr(0, room));
}

void LogRecords::add_to_payload(std::string_view piece, bool is_begin) {
  const auto add = [&](std::string_view bytes) {
    md5_->update(bytes);
    record_.payload_bytes += static_cast<std::int64_t>(bytes.size());
    payload_.append(bytes.substr(0, kLongestPayload - payload_.size()));
  };
  if (is_begin && record_.has_payload) add("\n");
  record_.has_payload = true;
  add(piece);
}

void LogRecords::end_line() {
  ++line_number_;
  at_line_begin_ = true;
  if (in_payload_line_) {
    // Lines with tabs before the first record belong to nothing; they are told as one.
    if (!has_record_ && record_.line == 0) record_.line = line_number_;
    return;
  }
  if (std::string_view(line_).find_first_not_of(" \r") == std::string_view::npos && !is_too_long_) {
    line_.clear();
    return;
  }
  end_record();
  std::swap(record_line_, line_);
  line_.clear();
  has_record_ = true;
  record_.line = line_number_;
  if (std::exchange(is_too_long_, false)) {
    record_.fault = "the line is longer than 8 MiB";
  } else if (!read_log_line(record_line_, &record_)) {
    record_.fault = "it is neither a record nor part of a payload";
  }
}

void LogRecords::end_record() {
  if (has_record_ || record_.has_payload) {
    if (!has_record_) record_.fault = "it is part of a payload, and no record is before it";
    record_.payload = payload_;
    record_.payload_md5 = md5_->finish();
    visit_(record_);
  }
  record_ = LogRecord();
  has_record_ = false;
  payload_.clear();
  md5_->restart();
}

}  // namespace benchhud::ingest
