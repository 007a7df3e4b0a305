#include "ingest/text/csv_lines.h"

#include <utility>

#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::Expected;

namespace {

constexpr const char* kOpenQuote = "a quote that does not close";

/// The first of the lines, taken off them.
CsvLine cut_first(CsvLine* lines) {
  const CsvLine line{cut_line(&lines->text), lines->number++, lines->offset};
  lines->offset += static_cast<std::int64_t>(line.text.size());
  return line;
}

}  // namespace

Expected<void> CsvLines::take(CsvLine lines) {
  if (lines.number == 1 && lines.text.starts_with(kByteOrderMark)) {
    lines.text.remove_prefix(kByteOrderMark.size());
    lines.offset += static_cast<std::int64_t>(kByteOrderMark.size());
  }
  while (!lines.text.empty()) BENCHHUD_TRY(take_line(cut_first(&lines), GoesOn::kMay));
  return {};
}

Expected<void> CsvLines::give_up() {
  while (!open_.empty()) BENCHHUD_TRY(give_up_open_record());
  return {};
}

Expected<void> CsvLines::take_line(CsvLine line, GoesOn goes_on) {
  const bool is_first = open_.empty();
  if (is_first) {
    if (trim(line.text).empty()) return {};
    record_.begin(most_fields_);
    began_ = {{}, line.number, line.offset};
  }
  const CsvRecord::State state = record_.add(line.text);
  if (state == CsvRecord::State::kWhole) {
    if (is_first) return taker_.take_record(record_, line);
    const std::string text = std::exchange(open_, {}).append(line.text);
    return taker_.take_record(record_, {text, began_.number, began_.offset});
  }
  if (is_first && state == CsvRecord::State::kBroken) {
    return taker_.refuse(line, "text behind a closing quote");
  }
  if (goes_on == GoesOn::kMustNot) return taker_.refuse(line, kOpenQuote);
  open_ += line.text;
  const bool is_over = state == CsvRecord::State::kBroken || open_.size() > longest_;
  return is_over ? give_up_open_record() : Expected<void>();
}

Expected<void> CsvLines::give_up_open_record() {
  const std::string text = std::exchange(open_, {});
  CsvLine rest{text, began_.number, began_.offset};
  BENCHHUD_TRY(taker_.refuse(cut_first(&rest), kOpenQuote));
  while (!rest.text.empty()) {
    const CsvLine line = cut_first(&rest);
    BENCHHUD_TRY(take_line(line, rest.text.empty() ? GoesOn::kMay : GoesOn::kMustNot));
  }
  return {};
}

}  // namespace benchhud::ingest
