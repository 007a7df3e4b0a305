// What people say of nights: that they do not count, or that something else is different since.
#include <fmt/format.h>

#include <array>

#include "schema/alerts/night_mark.h"
#include "schema/base/text_limits.h"
#include "schema/results/run_choice.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/alerts/alert_update.h"

namespace benchhud::server {
namespace {

using schema::Expected;

/// The run that the address names. A reader of its own: the change sees the store as it is now.
Expected<schema::Run> named_run(ChangeContext& context) {
  schema::Reader reader(context.store);
  BENCHHUD_ASSIGN(auto runs, reader.runs({}));
  std::vector<const schema::Run*> all;
  all.reserve(runs.size());
  for (const schema::Run& run : runs) all.push_back(&run);
  auto run = schema::choose_run(all, context.query.text("run"), std::nullopt);
  if (!run) {
    context.wrong_parameter = "run";
    return std::move(run).error();
  }
  return **run;
}

/// Which nights count decides what changed; the answer is the run with its marks.
Expected<std::string> with_new_alerts(ChangeContext& context, const schema::Run& run) {
  BENCHHUD_TRY(service::update_alerts(context.store));
  return fmt::format("/runs/{}", to_int(run.id));
}

Expected<std::string> mark_run(ChangeContext& context) {
  BENCHHUD_ASSIGN(const schema::Run run, named_run(context));
  const auto kind = schema::night_mark_kind_of(context.body.text("kind"));
  if (!kind) {  // the contract lets none through
    context.wrong_parameter = "kind";
    return schema::Error{schema::ErrorCode::kInvalidArgument, "There is no such mark."};
  }
  const auto marked = schema::mark_night(context.store, run, *kind, context.body.text("reason"),
                                         context.body.text("who"), context.token);
  if (!marked) {
    const bool is_long_name = context.body.text("who").size() > schema::kMostLineBytes;
    if (marked.error().code == schema::ErrorCode::kTooLarge) {
      context.wrong_parameter = is_long_name ? "who" : "reason";
    }
    return marked.error();
  }
  return with_new_alerts(context, run);
}

Expected<std::string> unmark_run(ChangeContext& context) {
  BENCHHUD_ASSIGN(const schema::Run run, named_run(context));
  const auto kind = schema::night_mark_kind_of(context.query.text("kind"));
  if (!kind) {
    context.wrong_parameter = "kind";
    return schema::Error{schema::ErrorCode::kInvalidArgument, "There is no such mark."};
  }
  if (const auto done = schema::unmark_night(context.store, run, *kind); !done) {
    if (done.error().code == schema::ErrorCode::kNotFound) context.wrong_parameter = "kind";
    return done.error();
  }
  return with_new_alerts(context, run);
}

constexpr std::array kChanges = {NamedChange{"markRun", mark_run},
                                 NamedChange{"unmarkRun", unmark_run}};

}  // namespace

std::span<const NamedChange> mark_changes() { return kChanges; }

}  // namespace benchhud::server
