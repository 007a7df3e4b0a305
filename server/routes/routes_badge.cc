// How things stand, for other people's pages: a badge, and a line.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema/base/time.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "views/badge.h"

namespace benchhud::server {
namespace {

using schema::Expected;

constexpr double kHour = 3600;  // s

/// The newest run that is asked about; null where there is none.
const service::RunEntry* newest_run(const RequestContext& context) {
  for (const service::RunEntry& entry : context.snapshot().runs) {
    if (!context.query.has("accelerator_model") ||
        entry.run.accelerator_model == context.query.text("accelerator_model")) {
      return &entry;
    }
  }
  return nullptr;
}

double age_of(const service::RunEntry& entry) {
  return std::max(0.0, schema::now() - entry.run.started_at);
}

bool is_stale(const RequestContext& context, const service::RunEntry& entry) {
  return age_of(entry) > static_cast<double>(context.query.integer("stale_after")) * kHour;
}

/// What of a run is summed up.
struct Counts {
  std::size_t passing = 0, failing = 0;
};

bool is_asked(const RequestContext& context, const analysis::RunGroup& group) {
  return (!context.query.has("backend") || group.backend == context.query.text("backend")) &&
         (!context.query.has("test") || group.test == context.query.text("test"));
}

Expected<Counts> verification_counts(RequestContext& context, const service::RunEntry& entry) {
  BENCHHUD_ASSIGN(const auto summary,
                  context.analyses.summary(context.view, entry, kUsualBaseline));
  Counts counts;
  for (const analysis::RunGroup& group : summary->groups) {
    if (!is_asked(context, group)) continue;
    counts.passing += group.passing;
    counts.failing += group.failing;
  }
  return counts;
}

views::Badge alerts_badge(std::int64_t count) {
  if (count == 0) return {"changes", "nothing to look at", views::BadgeColor::kGood};
  return {"changes", fmt::format("{} to look at", count), views::BadgeColor::kBad};
}

views::Badge verification_badge(const Counts& counts) {
  if (counts.passing + counts.failing == 0)
    return {"verification", "none", views::BadgeColor::kUnknown};
  if (counts.failing == 0) {
    return {"verification", fmt::format("{} passing", counts.passing), views::BadgeColor::kGood};
  }
  return {"verification", fmt::format("{} passing, {} failing", counts.passing, counts.failing),
          views::BadgeColor::kBad};
}

/// Of one backend on one test, as a geometric mean over models has no meaning over several.
Expected<views::Badge> speedup_badge(RequestContext& context, const service::RunEntry& entry) {
  for (const char* name : {"backend", "test"}) {
    if (!context.query.has(name)) {
      return wrong_parameter(context, name, "A speedup is of one backend on one test.");
    }
  }
  BENCHHUD_ASSIGN(const auto summary,
                  context.analyses.summary(context.view, entry, kUsualBaseline));
  for (const analysis::RunGroup& group : summary->groups) {
    if (!is_asked(context, group) || !group.all || !group.all->value) continue;
    const auto& [value, interval, models] = *group.all;
    // Said to be faster or slower only where the interval says so.
    const auto color = !interval            ? views::BadgeColor::kUnknown
                       : interval->high < 1 ? views::BadgeColor::kWarning
                       : interval->low > 1  ? views::BadgeColor::kGood
                                            : views::BadgeColor::kUnknown;
    std::string message = fmt::format("{:.2f}\u00d7 {}", *value, kUsualBaseline);
    if (interval) message += fmt::format(" ({:.2f} to {:.2f})", interval->low, interval->high);
    return views::Badge{context.query.text("backend"), message, color};
  }
  return views::Badge{context.query.text("backend"), "no speedup", views::BadgeColor::kUnknown};
}

Expected<views::Badge> make_badge(RequestContext& context) {
  const service::RunEntry* entry = newest_run(context);
  if (entry == nullptr) {
    return views::Badge{context.query.text("what"), "no results", views::BadgeColor::kUnknown};
  }
  const std::string& what = context.query.text("what");
  views::Badge badge;
  if (what == "verification") {
    BENCHHUD_ASSIGN(const Counts counts, verification_counts(context, *entry));
    badge = verification_badge(counts);
  } else if (what == "speedup") {
    BENCHHUD_ASSIGN(badge, speedup_badge(context, *entry));
  } else if (what == "freshness") {
    badge = {"newest run", views::age_text(age_of(*entry)) + " ago", views::BadgeColor::kGood};
  } else {
    BENCHHUD_ASSIGN(const std::int64_t count,
                    attention_count(context, context.query.text("accelerator_model")));
    badge = alerts_badge(count);
  }
  // What was right a week ago is not what is.
  if (is_stale(context, *entry)) {
    badge.color = views::BadgeColor::kUnknown;
    if (what != "freshness")
      badge.message += fmt::format(", {} old", views::age_text(age_of(*entry)));
  }
  return badge;
}

Expected<ResponsePlan> get_badge(RequestContext& context) {
  const bool is_json = context.query.text("format") == "json";
  ResponsePlan plan{"", [&context, is_json]() -> Expected<std::string> {
                      BENCHHUD_ASSIGN(views::Badge badge, make_badge(context));
                      if (context.query.has("label")) badge.label = context.query.text("label");
                      return is_json ? views::badge_json(badge) : views::badge_svg(badge);
                    }};
  if (!is_json) plan.content_type = "image/svg+xml";
  plan.is_fleeting = true;
  plan.is_for_other_sites = true;
  return plan;
}

/// "changes: 3 to look at; verification: 24 passing, 4 failing; newest run: 2026-11-22T00:03:33Z (9
/// h ago)"
Expected<std::string> status_line(RequestContext& context) {
  const service::RunEntry* entry = newest_run(context);
  if (entry == nullptr) return std::string("no results\n");
  BENCHHUD_ASSIGN(const std::int64_t count,
                  attention_count(context, context.query.text("accelerator_model")));
  BENCHHUD_ASSIGN(const Counts counts, verification_counts(context, *entry));
  return fmt::format("{}changes: {}; verification: {}; newest run: {} ({} ago)\n",
                     is_stale(context, *entry) ? "OLD: " : "", alerts_badge(count).message,
                     verification_badge(counts).message, schema::format_time(entry->run.started_at),
                     views::age_text(age_of(*entry)));
}

Expected<ResponsePlan> get_status(RequestContext& context) {
  ResponsePlan plan{"", [&context] { return status_line(context); }};
  plan.content_type = "text/plain; charset=utf-8";
  plan.is_fleeting = true;
  return plan;
}

}  // namespace

std::span<const NamedRoute> badge_routes() {
  static constexpr std::array routes = {NamedRoute{"getBadge", get_badge},
                                        NamedRoute{"getStatusLine", get_status}};
  return routes;
}

}  // namespace benchhud::server
