#include "ingest/results/manifest_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "ingest/text/csv_record.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::ExpectedResult;

constexpr std::array<std::string_view, 4> kColumns = {"suite", "model", "test", "backend"};
constexpr std::size_t kMostManifestColumns = 1000;

Error wrong(std::size_t line, std::string_view reason) {
  return {ErrorCode::kUnsupported, fmt::format("line {}: {}", line, reason)};
}

/// The place of each of kColumns in the rows.
using Places = std::array<std::size_t, kColumns.size()>;

Expected<Places> places_of(const CsvRecord& header, std::size_t line) {
  Places places{};
  for (std::size_t column = 0; column < kColumns.size(); ++column) {
    std::optional<std::size_t> place;
    for (std::size_t i = 0; i < header.field_count() && i < kMostManifestColumns; ++i) {
      if (trim(header.field(i)) != kColumns[column]) continue;
      if (place) return wrong(line, fmt::format("there are two columns \"{}\"", kColumns[column]));
      place = i;
    }
    if (!place) {
      return wrong(line, fmt::format("there is no column \"{}\"; a manifest has suite, model, test "
                                     "and backend",
                                     kColumns[column]));
    }
    places[column] = *place;
  }
  return places;
}

std::string test_name(std::string_view text) {
  if (text == "inference") return "eval";
  if (text == "training") return "train";
  return std::string(text);
}

std::vector<std::string> alternatives(std::string_view field) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t end = std::min(field.find('|'), field.size());
    names.emplace_back(trim(field.substr(0, end)));
    if (end == field.size()) return names;
    field.remove_prefix(end + 1);
  }
}

class Manifest {
 public:
  Expected<void> add(const CsvRecord& row, const Places& places, std::size_t line) {
    std::array<std::vector<std::string>, kColumns.size()> names;
    std::size_t combinations = 1;
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      if (places[column] >= row.field_count()) {
        return wrong(line, fmt::format("there is no {}", kColumns[column]));
      }
      names[column] = alternatives(row.field(places[column]));
      for (const std::string& name : names[column]) {
        if (name.empty()) return wrong(line, fmt::format("an empty {}", kColumns[column]));
      }
      combinations *= names[column].size();
      if (results_.size() + combinations > kMostExpected) {
        return Error{ErrorCode::kTooLarge,
                     fmt::format("line {}: more than {} results", line, kMostExpected)};
      }
    }
    for (const auto& suite : names[0]) {
      for (const auto& model : names[1]) {
        for (const auto& test : names[2]) {
          for (const auto& backend : names[3]) {
            results_.push_back({suite, model, test_name(test), backend});
          }
        }
      }
    }
    return {};
  }

  std::vector<ExpectedResult> take() {
    std::sort(results_.begin(), results_.end());
    results_.erase(std::unique(results_.begin(), results_.end()), results_.end());
    return std::move(results_);
  }

 private:
  std::vector<ExpectedResult> results_;
};

}  // namespace

Expected<std::vector<ExpectedResult>> read_manifest(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Manifest manifest;
  std::optional<Places> places;
  CsvRecord record;
  bool is_open = false;
  std::size_t began = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = cut_line(&text);
    if (!is_open) {
      if (trim(line).empty() || line.starts_with('#')) continue;
      record.begin(kMostManifestColumns);
      began = number;
    }
    const CsvRecord::State state = record.add(line);
    if (state == CsvRecord::State::kBroken) {
      return wrong(number, "there is something behind a closing quote");
    }
    is_open = state == CsvRecord::State::kOpen;
    if (is_open) continue;
    if (!places) {
      BENCHHUD_ASSIGN(places, places_of(record, began));
    } else {
      BENCHHUD_TRY(manifest.add(record, *places, began));
    }
  }
  if (is_open) return wrong(began, "a quote that does not close");
  auto results = manifest.take();
  if (results.empty()) return Error{ErrorCode::kUnsupported, "there is no result in it"};
  return results;
}

}  // namespace benchhud::ingest
