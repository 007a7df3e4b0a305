#include "server/trace_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "server/trace_tile_bytes.h"

namespace benchhud::server {
namespace {

using schema::Expected;

// Takes a number from the beginning of `text`; none if it begins with no digit or is too large.
std::optional<std::uint32_t> take_number(std::string_view* text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc()) return {};
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return number;
}

}  // namespace

Expected<AskedTrace> asked_trace(Ask& ask) {
  AskedTrace trace;
  trace.id = schema::TraceId{ask.query.integer("id")};
  auto info = schema::TraceLookup(ask.reader().connection(), trace.id).info();
  if (!info) {
    ask.wrong_parameter = "id";
    return std::move(info).error();
  }
  trace.info = *std::move(info);
  constexpr std::size_t kKeyDigits = 16;
  trace.key = trace.info.content.hex().substr(0, kKeyDigits);
  if (ask.query.has("key") && ask.query.text("key") != trace.key) {
    ask.wrong_parameter = "key";
    return schema::Error{schema::ErrorCode::kNotFound,
                         "The key is stale: another trace has this id now."};
  }
  return trace;
}

Plan trace_plan(const Ask& ask, const AskedTrace& trace,
                std::function<Expected<std::string>()> body) {
  Plan plan{trace.key, std::move(body)};
  plan.is_immutable = ask.query.has("key");
  return plan;
}

Expected<std::vector<TrackBand>> asked_tracks(Ask& ask, std::string_view name, std::size_t limit,
                                              bool bands) {
  const auto wrong = [&] {
    return wrong_parameter(
        ask, name,
        fmt::format("{} must be 1 to {} numbers of tracks with commas between{}.", name, limit,
                    bands ? ", each with .BAND behind it where it is not 0" : ""));
  };
  std::vector<TrackBand> tracks;
  for (std::string_view rest = ask.query.text(name);;) {
    TrackBand& track = tracks.emplace_back();
    const auto number = take_number(&rest);
    if (!number || tracks.size() > limit) return wrong();
    track.track = *number;
    if (bands && rest.starts_with('.')) {
      rest.remove_prefix(1);
      const auto band = take_number(&rest);
      // Its rows must have numbers.
      constexpr std::uint32_t kMostBand = std::numeric_limits<std::uint32_t>::max() / kRowsABand;
      if (!band || *band > kMostBand) return wrong();
      track.band = *band;
    }
    if (rest.empty()) return tracks;
    if (!rest.starts_with(',')) return wrong();
    rest.remove_prefix(1);
  }
}

}  // namespace benchhud::server
