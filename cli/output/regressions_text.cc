#include "cli/output/regressions_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/text/quantity_text.h"
#include "cli/options/options.h"
#include "cli/output/markdown.h"
#include "server/codec/json_text.h"

namespace benchhud::cli {
namespace {

using schema::Expected;
using server::read_json;
using server::text_of;

constexpr std::string_view kWhat = "an alert";

std::string run_text(const Json& run) {
  if (!run.is_object()) return "";
  return text_of(run, "name");
}

std::string signed_share(double share) {
  return (share < 0 ? "−" : "+") + analysis::share_text(std::abs(share));
}

std::string value_text(const Json& value, const std::string& unit) {
  if (!value.is_number()) return "unknown";
  if (unit == "s") return analysis::duration_text(value.get<double>());
  return fmt::format("{:.3g}", value.get<double>());
}

std::string who_text(const Json& member) {
  const Json& experiment = member.at("experiment");
  std::string text = fmt::format("{} {} {}", text_of(experiment, "model"),
                                 text_of(experiment, "test"), text_of(experiment, "column"));
  if (experiment.at("batch_size").is_number()) {
    text += fmt::format(" (batch {})", experiment.at("batch_size").get<std::int64_t>());
  }
  return text;
}

std::string change_text(const Json& member) {
  if (member.contains("before_text")) {
    return text_of(member, "before_text") + " → " + text_of(member, "after_text");
  }
  const std::string unit = text_of(member, "unit");
  return value_text(member.at("before"), unit) + " → " + value_text(member.at("after"), unit);
}

std::string effect_text(const Json& member) {
  if (!member.contains("effect") || !member.at("effect").is_number()) return "";
  std::string text = signed_share(member.at("effect").get<double>());
  const Json& interval = member.at("interval");
  if (interval.is_object()) {
    text += fmt::format(" [{}, {}]", signed_share(interval.at("low").get<double>()),
                        signed_share(interval.at("high").get<double>()));
  }
  return text;
}

// How sure, and what to know of the series.
std::string basis_text(const Json& member) {
  std::string text;
  if (member.contains("effect")) {
    text = fmt::format("p {:.1g}, {} + {} nights", member.at("p_value").get<double>(),
                       member.at("nights_before").get<std::int64_t>(),
                       member.at("nights_after").get<std::int64_t>());
    std::string words = text_of(member.value("noise", Json::object()), "class");
    if (!words.empty() && words != "stable") {
      std::replace(words.begin(), words.end(), '_', ' ');
      text += ", " + words;
    }
  } else {
    const Json& flakiness = member.at("flakiness");
    text = fmt::format("{} of the last {} nights differed from the one before",
                       flakiness.at("flips").get<std::int64_t>(),
                       flakiness.at("of").get<std::int64_t>());
  }
  if (member.value("is_doing_of_baseline", false)) text += "; its baseline moved, not it";
  return text;
}

std::string since_text(const Json& details) {
  std::string text = "since " + run_text(details.at("onset"));
  const std::string good = run_text(details.at("last_good")),
                    bad = run_text(details.at("first_bad"));
  if (!good.empty()) text += fmt::format("; between {} and {}", good, bad);
  return text;
}

std::string label_text(const Json& label) {
  const auto value = [&](const char* key) {
    const std::string text = text_of(label, key);
    return text.empty() ? "none" : text;
  };
  return fmt::format("{} {} → {}", text_of(label, "key"), value("before"), value("after"));
}

std::string heading(const Json& alert) {
  return fmt::format("#{} {}, {}: {}", alert.at("id").get<std::int64_t>(), text_of(alert, "state"),
                     text_of(alert.at("details"), "direction"),
                     text_of(alert.at("details"), "title"));
}

// U+FFFE and U+FFFF are no characters of XML 1.0; what else is none, printable() has replaced.
std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "\xef\xbf\xbe" || text.substr(i, 3) == "\xef\xbf\xbf") {
      out += "\xef\xbf\xbd";
      i += 2;
      continue;
    }
    switch (text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

std::string paragraph(const Json& alert) {
  const Json& details = alert.at("details");
  std::string out = printable(heading(alert)) + "\n";
  out += "    " + printable(since_text(details)) + ", on " +
         printable(text_of(alert, "accelerator_model")) + "\n";
  for (const Json& label : details.at("labels")) {
    out += "    " + printable(label_text(label)) + "\n";
  }
  for (const Json& member : details.at("members")) {
    out += fmt::format("    {:<12} {}: {} {} {} ({})\n", text_of(member, "state"),
                       printable(who_text(member)), text_of(member, "title"),
                       printable(change_text(member)), effect_text(member), basis_text(member));
  }
  for (const Json& cause : alert.at("causes")) {
    out += "    " + printable(text_of(cause, "title")) + "\n";
    for (const Json& line : cause.at("lines")) {
      out += "        " + printable(line.get<std::string>()) + "\n";
    }
  }
  if (const std::string rerun = text_of(details, "rerun"); !rerun.empty()) {
    out += "    to settle it: " + rerun + "\n";
  }
  if (const std::string command = text_of(alert, "reproduction"); !command.empty()) {
    out += "    again: " + printable(command) + "\n";
  }
  if (const std::string owner = text_of(alert, "owner"); !owner.empty()) {
    out += "    owner: " + printable(owner) + "\n";
  }
  if (const std::string link = text_of(alert, "link"); !link.empty()) {
    out += "    see " + printable(link) + "\n";
  }
  return out;
}

}  // namespace

Expected<std::string> regressions_text(std::span<const ListedAlert> alerts) {
  return read_json(kWhat, [&]() -> std::string {
    if (alerts.empty()) return "nothing changed that is not dealt with\n";
    std::string out;
    for (const ListedAlert& alert : alerts) out += paragraph(alert.json) + "\n";
    out += analysis::count_text(static_cast<std::int64_t>(alerts.size()), "alert") + "\n";
    return out;
  });
}

Expected<std::string> regressions_markdown(std::span<const ListedAlert> alerts) {
  return read_json(kWhat, [&]() -> std::string {
    if (alerts.empty()) return "Nothing changed that is not dealt with.\n";
    std::string out;
    for (const ListedAlert& listed : alerts) {
      const Json& alert = listed.json;
      const Json& details = alert.at("details");
      out += fmt::format("### {}\n\n{}, on {}.\n", markdown_text(heading(alert)),
                         markdown_text(since_text(details)),
                         markdown_text(text_of(alert, "accelerator_model")));
      for (const Json& label : details.at("labels")) {
        out += "\n- " + markdown_text(label_text(label));
      }
      if (!details.at("labels").empty()) out += "\n";
      out += "\n| what | | change | effect [95 %] | basis |\n|---|---|---|---|---|\n";
      for (const Json& member : details.at("members")) {
        out += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(who_text(member)),
                           text_of(member, "title"), markdown_text(change_text(member)),
                           effect_text(member), basis_text(member));
      }
      for (const Json& cause : alert.at("causes")) {
        out += "\n- " + markdown_text(text_of(cause, "title"));
        for (const Json& line : cause.at("lines")) {
          out += "\n  - " + markdown_text(line.get<std::string>());
        }
      }
      if (!alert.at("causes").empty()) out += "\n";
      if (const std::string rerun = text_of(details, "rerun"); !rerun.empty()) {
        out += "\nTo settle it: " + rerun + ".\n";
      }
      if (const std::string command = text_of(alert, "reproduction"); !command.empty()) {
        out += "\nAgain: " + markdown_code(command) + "\n";
      }
      out += "\n";
    }
    return out;
  });
}

Expected<std::string> regressions_junit(std::span<const ListedAlert> alerts) {
  return read_json(kWhat, [&]() -> std::string {
    const auto failures = std::count_if(alerts.begin(), alerts.end(),
                                        [](const ListedAlert& alert) { return alert.fails; });
    std::string out = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"benchhud regressions\" tests=\"{}\" failures=\"{}\">\n",
        std::max<std::size_t>(alerts.size(), 1), failures);
    if (alerts.empty()) out += "  <testcase name=\"nothing changed\" classname=\"benchhud\"/>\n";
    for (const ListedAlert& listed : alerts) {
      const Json& alert = listed.json;
      out += fmt::format("  <testcase name=\"{}\" classname=\"benchhud.{}\"",
                         xml_text(printable(text_of(alert.at("details"), "title"))),
                         text_of(alert, "state"));
      if (listed.fails) {
        out += fmt::format(">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n",
                           xml_text(printable(heading(alert))), xml_text(paragraph(alert)));
      } else {
        out += "/>\n";
      }
    }
    return out + "</testsuite>\n";
  });
}

}  // namespace benchhud::cli
