// A word on how things stand, small enough for other people's pages.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::views {

enum class BadgeColor { kGood, kWarning, kBad, kUnknown };

struct Badge {
  std::string label;    ///< on the left: what it is about
  std::string message;  ///< on the right
  BadgeColor color = BadgeColor::kUnknown;
};

/// A picture, 20 pixels high. What is no character of XML is U+FFFD.
std::string badge_svg(const Badge& badge);

/// JSON of the schema of shields.io's endpoint badges (https://shields.io/badges/endpoint-badge).
std::string badge_json(const Badge& badge);

/// How long ago something was, in one unit: "40 min", "9 h", "3 days". `seconds` from 0 on.
std::string age_text(double seconds);

}  // namespace benchhud::views
