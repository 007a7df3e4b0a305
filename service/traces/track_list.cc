#include "service/traces/track_list.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>

#include "trace/trace_tiles.h"

namespace benchhud::service {
namespace {

// Takes a number from the beginning of `text`; none if it begins with no digit or is too large.
std::optional<std::uint32_t> take_number(std::string_view* text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc()) return {};
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return number;
}

}  // namespace

schema::Expected<std::vector<TrackBand>> read_track_list(std::string_view text,
                                                         std::string_view name, std::size_t limit,
                                                         bool bands) {
  const auto wrong = [&] {
    return schema::Error{
        schema::ErrorCode::kInvalidArgument,
        fmt::format("{} must be 1 to {} numbers with commas between{}.", name, limit,
                    bands ? ", each with .BAND behind it where it is not 0" : "")};
  };
  std::vector<TrackBand> tracks;
  for (;;) {
    TrackBand& track = tracks.emplace_back();
    const auto number = take_number(&text);
    if (!number || tracks.size() > limit) return wrong();
    track.track = *number;
    if (bands && text.starts_with('.')) {
      text.remove_prefix(1);
      const auto band = take_number(&text);
      // Its rows must have numbers.
      constexpr std::uint32_t kMostBand =
          std::numeric_limits<std::uint32_t>::max() / trace::kRowsABand;
      if (!band || *band > kMostBand) return wrong();
      track.band = *band;
    }
    if (text.empty()) return tracks;
    if (!text.starts_with(',')) return wrong();
    text.remove_prefix(1);
  }
}

}  // namespace benchhud::service
