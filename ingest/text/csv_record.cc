#include "ingest/text/csv_record.h"

namespace benchhud::ingest {
namespace {

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

void CsvRecord::begin(std::size_t most) {
  most_ = most;
  count_ = 0;
  is_quoted_ = false;
}

CsvRecord::State CsvRecord::add(std::string_view line) {
  std::string_view rest = line;
  if (!is_quoted_) begin_field();
  for (;;) {
    if (!is_quoted_ && rest.starts_with('"')) {
      is_quoted_ = true;
      rest.remove_prefix(1);
    }
    if (!is_quoted_) {
      const std::size_t comma = rest.find(',');
      if (comma == rest.npos) {
        put(without_line_end(rest));
        return State::kWhole;
      }
      put(rest.substr(0, comma));
      rest.remove_prefix(comma + 1);
      begin_field();
      continue;
    }
    const std::size_t quote = rest.find('"');
    put(rest.substr(0, quote));
    if (quote == rest.npos) return State::kOpen;
    rest.remove_prefix(quote + 1);
    if (rest.starts_with('"')) {
      put(rest.substr(0, 1));
      rest.remove_prefix(1);
      continue;
    }
    is_quoted_ = false;
    if (without_line_end(rest).empty()) return State::kWhole;
    if (!rest.starts_with(',')) return State::kBroken;
    rest.remove_prefix(1);
    begin_field();
  }
}

void CsvRecord::begin_field() {
  if (count_ < most_) {
    if (count_ == fields_.size()) fields_.emplace_back();
    fields_[count_].clear();
  }
  ++count_;
}

void CsvRecord::put(std::string_view text) {
  if (count_ <= most_) fields_[count_ - 1] += text;
}

}  // namespace benchhud::ingest
