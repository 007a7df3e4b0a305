#include "views/badge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "schema/base/json_writer.h"
#include "schema/base/utf8.h"
#include "schema/base/xml_text.h"

namespace benchhud::views {
namespace {

constexpr double kHeight = 20;    // px
constexpr double kPadding = 6;    // px on either side of a text
constexpr double kFontSize = 11;  // px

/// White on these, and on the label's grey, has a contrast of 4.5 or more (WCAG 2.2, 1.4.3).
std::string_view color_value(BadgeColor color) {
  switch (color) {
    case BadgeColor::kGood:
      return "#1a7f37";
    case BadgeColor::kWarning:
      return "#9a6700";
    case BadgeColor::kBad:
      return "#cf222e";
    case BadgeColor::kUnknown:
      break;
  }
  return "#6e7781";
}

constexpr std::string_view kLabelColor = "#444c56";

std::string xml_text(std::string_view text) {
  return schema::xml_text(schema::to_valid_utf8(text));
}

/// About how wide sans-serif text is, in px. The picture says so to who draws it (textLength), so
/// that it fits whatever the font is.
double text_width(std::string_view text) {
  double ems = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;  // not the first byte of a character
    if (byte >= 0x80) {
      ems += 0.8;
    } else if (std::string_view("ijl.,:;'|! ").find(c) != std::string_view::npos) {
      ems += 0.33;
    } else if (std::string_view("mwMW@%").find(c) != std::string_view::npos) {
      ems += 0.92;
    } else {
      ems += c >= 'A' && c <= 'Z' ? 0.68 : 0.59;
    }
  }
  return std::ceil(ems * kFontSize);
}

std::string text_element(double left, std::string_view text) {
  return fmt::format(R"(<text x="{}" y="14" textLength="{}">{}</text>)", left + kPadding,
                     text_width(text), xml_text(text));
}

}  // namespace

std::string badge_svg(const Badge& badge) {
  const double left = text_width(badge.label) + 2 * kPadding;
  const double right = text_width(badge.message) + 2 * kPadding;
  const std::string name = xml_text(badge.label + ": " + badge.message);
  return fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{name}">)svg"
      R"svg(<title>{name}</title><clipPath id="r"><rect width="{width}" height="{height}" rx="3"/></clipPath>)svg"
      R"svg(<g clip-path="url(#r)"><rect width="{left}" height="{height}" fill="{label_color}"/>)svg"
      R"svg(<rect x="{left}" width="{right}" height="{height}" fill="{color}"/></g>)svg"
      R"svg(<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="{font}">{label}{message}</g></svg>)svg",
      fmt::arg("width", left + right), fmt::arg("height", kHeight), fmt::arg("name", name),
      fmt::arg("left", left), fmt::arg("right", right), fmt::arg("label_color", kLabelColor),
      fmt::arg("color", color_value(badge.color)), fmt::arg("font", kFontSize),
      fmt::arg("label", text_element(0, badge.label)),
      fmt::arg("message", text_element(left, badge.message)));
}

std::string badge_json(const Badge& badge) {
  std::string body;
  schema::JsonWriter json(&body);
  json.begin_object();
  json.field("schemaVersion", std::int64_t{1});
  json.field("label", badge.label);
  json.field("message", badge.message);
  json.field("color", color_value(badge.color));
  json.end_object();
  return body;
}

std::string age_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < kHour) return fmt::format("{:.0f} min", std::floor(seconds / kMinute));
  if (seconds < 2 * kDay) return fmt::format("{:.0f} h", std::floor(seconds / kHour));
  return fmt::format("{:.0f} days", std::floor(seconds / kDay));
}

}  // namespace benchhud::views
