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
Expected<schema::Run> named_run(ChangeAsk& ask) {
  schema::Reader reader(ask.store);
  BENCHHUD_ASSIGN(auto runs, reader.runs({}));
  std::vector<const schema::Run*> all;
  all.reserve(runs.size());
  for (const schema::Run& run : runs) all.push_back(&run);
  auto run = schema::choose_run(all, ask.query.text("run"), std::nullopt);
  if (!run) {
    ask.wrong_parameter = "run";
    return std::move(run).error();
  }
  return **run;
}

/// Which nights count decides what changed; the answer is the run with its marks.
Expected<std::string> with_new_alerts(ChangeAsk& ask, const schema::Run& run) {
  BENCHHUD_TRY(service::update_alerts(ask.store));
  return fmt::format("/runs/{}", to_int(run.id));
}

Expected<std::string> mark_run(ChangeAsk& ask) {
  BENCHHUD_ASSIGN(const schema::Run run, named_run(ask));
  const auto kind = schema::night_mark_kind_of(ask.body.text("kind"));
  if (!kind) {  // the contract lets none through
    ask.wrong_parameter = "kind";
    return schema::Error{schema::ErrorCode::kInvalidArgument, "There is no such mark."};
  }
  const auto marked = schema::mark_night(ask.store, run, *kind, ask.body.text("reason"),
                                         ask.body.text("who"), ask.token);
  if (!marked) {
    const bool is_long_name = ask.body.text("who").size() > schema::kMostLineBytes;
    if (marked.error().code == schema::ErrorCode::kTooLarge) {
      ask.wrong_parameter = is_long_name ? "who" : "reason";
    }
    return marked.error();
  }
  return with_new_alerts(ask, run);
}

Expected<std::string> unmark_run(ChangeAsk& ask) {
  BENCHHUD_ASSIGN(const schema::Run run, named_run(ask));
  const auto kind = schema::night_mark_kind_of(ask.query.text("kind"));
  if (!kind) {
    ask.wrong_parameter = "kind";
    return schema::Error{schema::ErrorCode::kInvalidArgument, "There is no such mark."};
  }
  if (const auto done = schema::unmark_night(ask.store, run, *kind); !done) {
    if (done.error().code == schema::ErrorCode::kNotFound) ask.wrong_parameter = "kind";
    return done.error();
  }
  return with_new_alerts(ask, run);
}

constexpr std::array kChanges = {NamedChange{"markRun", mark_run},
                                 NamedChange{"unmarkRun", unmark_run}};

}  // namespace

std::span<const NamedChange> mark_changes() { return kChanges; }

}  // namespace benchhud::server
