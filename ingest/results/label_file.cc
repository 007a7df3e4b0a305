#include "ingest/results/label_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

std::string_view without_quotes(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && value.front() == value.back() &&
                         (value.front() == '"' || value.front() == '\'');
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

Expected<std::map<std::string, std::string>> read_labels(std::string_view text) {
  std::map<std::string, std::string> labels;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::string_view line = trim(next_line(&text));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    const std::string_view key = trim(line.substr(0, std::min(equals, line.size())));
    if (equals == line.npos || key.empty() || std::any_of(line.begin(), line.end(), is_control)) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("line {} is no label, which is KEY=VALUE", number)};
    }
    labels[std::string(key)] = without_quotes(trim(line.substr(equals + 1)));
  }
  return labels;
}

}  // namespace benchhud::ingest
