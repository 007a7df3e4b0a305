#include "cli/output/detect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/text/quantity_text.h"
#include "cli/options/options.h"
#include "schema/base/json_writer.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::cli {

using analysis::SeriesChanges;
using analysis::ValueChange;
using ingest::SeriesCsv;

namespace {

constexpr std::size_t kColumns = 8;
using Row = std::array<std::string, kColumns>;
constexpr std::size_t kSeriesColumn = 0, kEffectColumn = 3;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t width_of(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

// Names are as long as somebody liked.
std::string name_in_column(std::string_view name) {
  return printable(schema::beginning_of(name, 60));
}

std::string_view direction(const ValueChange& change) { return change.is_up() ? "up" : "down"; }

std::string percent(double share) {
  constexpr double kManyPercent = 1000;
  const double of_hundred = 100 * share;
  return std::abs(of_hundred) < kManyPercent ? fmt::format("{:+.1f}", of_hundred)
                                             : fmt::format("{:+.3g}", of_hundred);
}

Row row_of(const std::string& series, const std::string& night, const SeriesChanges& changes,
           const ValueChange& change) {
  std::string range = fmt::format("{:.4g} → {:.4g}", change.before, change.after);
  if (change.interval) {
    range =
        fmt::format("{} to {} %", percent(change.interval->low), percent(change.interval->high));
  }
  return {name_in_column(series),
          name_in_column(night),
          std::string(direction(change)),
          change.effect ? percent(*change.effect) + " %" : "–",
          range,
          fmt::format("{:.2g}", change.q_value),
          std::string(change_state_name(change.state)),
          std::string(noise_class_name(changes.noise_class))};
}

void append(const std::vector<Row>& rows, bool has_series, std::string* out) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = has_series ? kSeriesColumn : kSeriesColumn + 1; i < kColumns; ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      line += i == kEffectColumn ? padding + row[i] : row[i] + padding;
      line += "  ";
    }
    line.resize(line.find_last_not_of(' ') + 1);
    *out += line + '\n';
  }
}

// What the last line counts.
struct Counts {
  std::int64_t told = 0, suspected = 0, rejected = 0;
};

Counts counts_of(std::span<const SeriesChanges> changes) {
  Counts counts;
  for (const SeriesChanges& series : changes) {
    counts.told += static_cast<std::int64_t>(series.found.size());
    counts.rejected += static_cast<std::int64_t>(series.rejected.size());
    for (const ValueChange& change : series.found) {
      counts.suspected += change.state == analysis::ChangeState::kSuspect ? 1 : 0;
    }
  }
  return counts;
}

std::string last_line(const SeriesCsv& read, std::span<const SeriesChanges> changes) {
  const Counts counts = counts_of(changes);
  std::string line =
      fmt::format("{} series, {}: ", read.series.size(),
                  analysis::count_text(static_cast<std::int64_t>(read.nights.size()), "night"));
  line += counts.told > 0 ? analysis::count_text(counts.told, "change") : "no change";
  if (counts.suspected > 0) line += fmt::format(", {} of them suspected", counts.suspected);
  if (counts.rejected > 0) {
    line += fmt::format("; {} not told (--format json says why)",
                        analysis::count_text(counts.rejected, "candidate"));
  }
  return line + '\n';
}

void write_interval(schema::JsonWriter& json, const std::optional<analysis::Interval>& interval) {
  json.key("ci");
  if (!interval) return json.null();
  json.list(std::array{interval->low, interval->high}, [&](double end) { json.value(end); });
}

void write_change(schema::JsonWriter& json, const std::string& night, const ValueChange& change) {
  json.begin_object();
  json.field("index", change.at);
  json.field("night", night);
  json.field("direction", direction(change));
  json.field("effect", change.effect);
  write_interval(json, change.interval);
  json.field("p", change.p_value);
  json.field("q", change.q_value);
  json.field("state", change_state_name(change.state));
  json.key("location");
  json.begin_object();
  json.field("earliest", change.earliest);
  json.field("latest", change.latest);
  json.end_object();
  json.field("before", change.before);
  json.field("after", change.after);
  json.field("level", night_statistic_name(change.level));
  json.end_object();
}

void write_rejected(schema::JsonWriter& json, const std::string& night,
                    const analysis::RejectedValueChange& rejected) {
  json.begin_object();
  json.field("index", rejected.change.at);
  json.field("night", night);
  json.field("direction", direction(rejected.change));
  json.field("effect", rejected.change.effect);
  json.field("p", rejected.change.p_value);
  json.field("level", night_statistic_name(rejected.change.level));
  json.field("reason", rejection_name(rejected.reason));
  json.end_object();
}

void write_noise(schema::JsonWriter& json, const SeriesChanges& changes) {
  json.begin_object();
  json.field("class", noise_class_name(changes.noise_class));
  json.field("meaning", noise_class_meaning(changes.noise_class));
  if (changes.noise) {
    json.field("sigma", changes.noise->deviation);
    json.field("correlation", changes.noise->correlation);
  } else {
    json.null_field("sigma");
    json.null_field("correlation");
  }
  json.end_object();
}

}  // namespace

std::string changes_table(const SeriesCsv& read, std::span<const SeriesChanges> changes) {
  std::vector<Row> rows{
      {"series", "night", "change", "effect", "95 % interval", "q", "state", "noise"}};
  bool has_series = false;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const SeriesCsv::Series& series = read.series[i];
    has_series |= !series.name.empty();
    for (const ValueChange& change : changes[i].found) {
      rows.push_back(
          row_of(series.name, read.nights[series.nights[change.at]], changes[i], change));
    }
  }
  std::string text;
  if (rows.size() > 1) {
    append(rows, has_series, &text);
    text += '\n';
  }
  return text + last_line(read, changes);
}

std::string changes_json(const SeriesCsv& read, std::span<const SeriesChanges> changes) {
  std::string text = "{\"series\":[";
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const SeriesCsv::Series& series = read.series[i];
    const auto night = [&](const ValueChange& change) -> const std::string& {
      return read.nights[series.nights[change.at]];
    };
    text += i > 0 ? ",\n" : "\n";
    schema::JsonWriter json(&text);
    json.begin_object();
    json.field("name", series.name);
    json.field("nights", changes[i].nights);
    json.field("levels", changes[i].is_linear ? "linear" : "logarithmic");
    json.field("level", night_statistic_name(changes[i].level));
    json.key("noise");
    write_noise(json, changes[i]);
    json.key("change_points");
    json.list(changes[i].found,
              [&](const ValueChange& change) { write_change(json, night(change), change); });
    json.key("rejected");
    json.list(changes[i].rejected, [&](const auto& rejected) {
      write_rejected(json, night(rejected.change), rejected);
    });
    json.end_object();
  }
  return text + "\n]}\n";
}

}  // namespace benchhud::cli
