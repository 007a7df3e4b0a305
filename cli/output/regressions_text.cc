#include "cli/output/regressions_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "analysis/alerts/watched_metric.h"
#include "analysis/text/quantity_text.h"
#include "cli/options/options.h"
#include "cli/output/alert_history_text.h"
#include "cli/output/markdown.h"
#include "schema/alerts/alert_mute.h"
#include "schema/base/xml_text.h"

namespace benchhud::cli {
namespace {

using schema::AlertMember;

std::string signed_share(double share) {
  return (share < 0 ? "−" : "+") + analysis::share_text(std::abs(share));
}

const analysis::WatchedMetricInfo* info_of(const AlertMember& member) {
  const auto metric = analysis::watched_metric_of(member.metric);
  return metric ? &analysis::watched_metric_info(*metric) : nullptr;
}

std::string title_text(const AlertMember& member) {
  const auto* info = info_of(member);
  return info != nullptr ? std::string(info->title) : printable(member.metric);
}

std::string value_text(std::optional<double> value, std::string_view unit) {
  if (!value) return "unknown";
  if (unit == "s") return analysis::duration_text(*value);
  return fmt::format("{:.3g}", *value);
}

std::string who_text(const AlertMember& member) {
  std::string text = fmt::format("{} {} {}", member.experiment.model, member.experiment.test,
                                 member.configuration);
  if (member.experiment.batch_size) {
    text += fmt::format(" (batch {})", *member.experiment.batch_size);
  }
  return text;
}

std::string change_text(const AlertMember& member) {
  if (member.counted) return member.counted->before + " → " + member.counted->after;
  if (!member.timed) return "";
  const auto* info = info_of(member);
  const std::string_view unit = info != nullptr ? info->unit : std::string_view();
  return value_text(member.timed->before, unit) + " → " + value_text(member.timed->after, unit);
}

std::string effect_text(const AlertMember& member) {
  if (!member.timed || !member.timed->effect) return "";
  std::string text = signed_share(*member.timed->effect);
  if (member.timed->low && member.timed->high) {
    text += fmt::format(" [{}, {}]", signed_share(*member.timed->low),
                        signed_share(*member.timed->high));
  }
  return text;
}

// How sure, and what to know of the series.
std::string basis_text(const AlertMember& member) {
  std::string text;
  if (member.timed) {
    const AlertMember::Timed& timed = *member.timed;
    text = fmt::format("p {}, {} + {} nights",
                       timed.p_value ? fmt::format("{:.1g}", *timed.p_value) : "unknown",
                       timed.nights_before, timed.nights_after);
    std::string words = timed.noise.value_or("");
    if (!words.empty() && words != "stable") {
      std::replace(words.begin(), words.end(), '_', ' ');
      text += ", " + words;
    }
  } else if (member.counted) {
    text = fmt::format("{} of the last {} nights differed from the one before",
                       member.counted->flips, member.counted->of);
  }
  if (member.is_doing_of_baseline.value_or(false)) text += "; its baseline moved, not it";
  return text;
}

std::string since_text(const ListedAlert& listed) {
  std::string text = "since " + listed.onset;
  if (!listed.last_good.empty()) {
    text += fmt::format("; between {} and {}", listed.last_good, listed.first_bad);
  }
  return text;
}

std::string label_text(const schema::AlertLabel& label) {
  const auto value = [](const std::string& text) { return text.empty() ? "none" : text; };
  return fmt::format("{} {} → {}", label.key, value(label.before), value(label.after));
}

std::string heading(const schema::Alert& alert) {
  return fmt::format("#{} {}, {}: {}", to_int(alert.id), alert.state,
                     change_direction_name(alert.direction), alert.title);
}

std::string paragraph(const ListedAlert& listed) {
  const schema::Alert& alert = listed.alert;
  std::string out = printable(heading(alert)) + "\n";
  out +=
      "    " + printable(since_text(listed)) + ", on " + printable(alert.accelerator_model) + "\n";
  for (const auto& label : listed.details.labels) {
    out += "    " + printable(label_text(label)) + "\n";
  }
  for (const AlertMember& member : listed.details.members) {
    out += fmt::format("    {:<12} {}: {} {} {} ({})\n", detected_state_name(member.detected),
                       printable(who_text(member)), title_text(member),
                       printable(change_text(member)), effect_text(member), basis_text(member));
  }
  for (const auto& cause : listed.explanation.causes) {
    out += "    " + printable(cause.title) + "\n";
    for (const std::string& line : cause.lines) out += "        " + printable(line) + "\n";
  }
  if (!alert.rerun.empty()) out += "    to settle it: " + alert.rerun + "\n";
  if (!listed.explanation.reproduction.empty()) {
    out += "    again: " + printable(listed.explanation.reproduction) + "\n";
  }
  if (const auto mute = mute_text(alert); !mute.empty()) out += "    " + mute + "\n";
  if (const auto orphan = orphan_text(alert); !orphan.empty()) out += "    " + orphan + "\n";
  if (!alert.owner.empty()) out += "    owner: " + printable(alert.owner) + "\n";
  if (!alert.link.empty()) out += "    see " + printable(alert.link) + "\n";
  return out;
}

std::string markdown_section(const ListedAlert& listed) {
  const schema::Alert& alert = listed.alert;
  std::string out =
      fmt::format("### {}\n\n{}, on {}.\n", markdown_text(heading(alert)),
                  markdown_text(since_text(listed)), markdown_text(alert.accelerator_model));
  for (const auto& label : listed.details.labels) {
    out += "\n- " + markdown_text(label_text(label));
  }
  if (!listed.details.labels.empty()) out += "\n";
  out += "\n| what | | change | effect [95 %] | basis |\n|---|---|---|---|---|\n";
  for (const AlertMember& member : listed.details.members) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(who_text(member)),
                       title_text(member), markdown_text(change_text(member)), effect_text(member),
                       basis_text(member));
  }
  for (const auto& cause : listed.explanation.causes) {
    out += "\n- " + markdown_text(cause.title);
    for (const std::string& line : cause.lines) out += "\n  - " + markdown_text(line);
  }
  if (!listed.explanation.causes.empty()) out += "\n";
  if (!alert.rerun.empty()) out += "\nTo settle it: " + alert.rerun + ".\n";
  if (!listed.explanation.reproduction.empty()) {
    out += "\nAgain: " + markdown_code(listed.explanation.reproduction) + "\n";
  }
  return out + "\n";
}

// "2 alerts are muted"
std::string muted_text(std::size_t muted) {
  return analysis::count_text(static_cast<std::int64_t>(muted), "alert") +
         (muted == 1 ? " is muted" : " are muted");
}

}  // namespace

std::string regressions_text(std::span<const ListedAlert> alerts, std::size_t muted) {
  const std::string end = muted > 0 ? fmt::format("; {}\n", muted_text(muted)) : "\n";
  if (alerts.empty()) return "nothing changed that is not dealt with" + end;
  std::string out;
  for (const ListedAlert& alert : alerts) out += paragraph(alert) + "\n";
  return out + analysis::count_text(static_cast<std::int64_t>(alerts.size()), "alert") + end;
}

std::string regressions_markdown(std::span<const ListedAlert> alerts, std::size_t muted) {
  std::string out;
  for (const ListedAlert& alert : alerts) out += markdown_section(alert);
  if (alerts.empty()) out = "Nothing changed that is not dealt with.\n";
  if (muted > 0) out += fmt::format("{}{}.\n", alerts.empty() ? "\n" : "", muted_text(muted));
  return out;
}

std::string mute_text(const schema::Alert& alert) {
  if (alert.muted_until.empty()) return "";
  const auto end = schema::mute_end_of(alert.muted_until);
  return fmt::format("muted until {}{}", end ? "it is " : "", alert.muted_until);
}

std::string regressions_junit(std::span<const ListedAlert> alerts, std::size_t muted) {
  const auto failures = std::count_if(alerts.begin(), alerts.end(),
                                      [](const ListedAlert& alert) { return alert.fails; });
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"benchhud regressions\" tests=\"{}\" failures=\"{}\">\n",
      std::max<std::size_t>(alerts.size(), 1), failures);
  if (muted > 0) {
    out += fmt::format(
        "  <properties>\n    <property name=\"muted\" value=\"{}\"/>\n  </properties>\n", muted);
  }
  if (alerts.empty()) out += "  <testcase name=\"nothing changed\" classname=\"benchhud\"/>\n";
  for (const ListedAlert& listed : alerts) {
    out += fmt::format("  <testcase name=\"{}\" classname=\"benchhud.{}\"",
                       schema::xml_text(printable(listed.alert.title)), listed.alert.state);
    if (listed.fails) {
      out += fmt::format(">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n",
                         schema::xml_text(printable(heading(listed.alert))),
                         schema::xml_text(paragraph(listed), schema::XmlLines::kMany));
    } else if (listed.alert.urgency == schema::Urgency::kMuted) {
      out +=
          fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n", mute_text(listed.alert));
    } else {
      out += "/>\n";
    }
  }
  return out + "</testsuite>\n";
}

}  // namespace benchhud::cli
