// What several routes need: finding runs, filtering experiments, going on in lists.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/alerts/alert_run.h"
#include "server/api/paging.h"
#include "server/api/routes.h"
#include "views/answers.h"

namespace benchhud::server {

/// No bound of a span of time, unix seconds; the other end with a minus.
inline constexpr double kForever = std::numeric_limits<double>::infinity();

/// An error that the parameter `name` caused.
schema::Error wrong_parameter(RequestContext& context, std::string_view name, std::string message);

/// The run that a text names, among those of an accelerator model if one is given (not ""). Never
/// null.
schema::Expected<const service::RunEntry*> find_run(RequestContext& context, std::string_view text,
                                                    std::string_view parameter,
                                                    std::string_view accelerator_model);
/// The run of the parameter `run`, which addresses and queries have.
schema::Expected<const service::RunEntry*> asked_run(RequestContext& context);

/// The result that the parameters `run` and `experiment` name, or others in their place.
struct AskedResult {
  const service::RunEntry* run;
  const analysis::CatalogEntry* entry;
  schema::ResultFacts facts;
};
schema::Expected<AskedResult> asked_result(RequestContext& context, std::string_view run = "run",
                                           std::string_view experiment = "experiment");

/// Error: kForbidden where a page of another site asks for what costs much: it learns nothing, but
/// could keep the server busy.
schema::Expected<void> refuse_other_sites(const RequestContext& context);

/// What an answer hangs on that follows from all that was ingested.
std::string revision_key(const RequestContext& context);
/// The same of an answer that also says what is muted: mutes end with days (alert_mute.h), so it
/// holds for a day at most.
std::string alerts_key(const RequestContext& context);

/// What verification last said up to `entry` that it had not said before: where `entry` was not
/// verified, what the newest verified run before it brought. Results that came or went did so with
/// `entry` itself.
schema::Expected<std::vector<analysis::VerificationChange>> last_verification_changes(
    RequestContext& context, const service::RunEntry& entry);

/// Whether the parameters since, until, label and accelerator_model let a run through: of several
/// values of one label's key any does.
bool matches_run(const Query& query, const schema::Run& run);

/// The newest `runs` of those of an accelerator model (`places`, newest first) that the parameters
/// let through, oldest first.
std::vector<const service::RunEntry*> asked_runs(const RequestContext& context,
                                                 const std::vector<std::size_t>& places);

/// The runs that alerts name, most of which the snapshot has. Valid as long as `ask`.
schema::AlertRuns runs_of(RequestContext& context);

/// How many alerts somebody should look at and nobody does; those of an accelerator model if one is
/// given (not "").
schema::Expected<std::int64_t> attention_count(const RequestContext& context,
                                               std::string_view accelerator_model = {});

/// The baseline that a request names; `entry` is the run that is compared.
schema::Expected<service::BaselineChoice> asked_baseline(RequestContext& context,
                                                         const service::RunEntry& entry);
analysis::Estimator asked_estimator(const Query& query);

/// What the parameters suite, model, backend, test and accelerator_model let through.
class ExperimentFilter {
 public:
  explicit ExperimentFilter(const Query& query) : query_(query) {}
  bool matches(const analysis::CatalogEntry& entry) const;
  bool matches_but_for_backend(const analysis::CatalogEntry& entry) const;
  bool matches_backend(std::string_view backend) const;
  bool matches_accelerator(std::string_view accelerator_model) const;
  /// Whether anything but the accelerator model is asked for.
  bool is_open() const;

 private:
  const Query& query_;
};

/// Whether `value` is among the values of a repeatable parameter, or there are none.
bool matches_any(const Query& query, std::string_view parameter, std::string_view value);
/// Whether the parameters suite, model and test let an experiment through.
bool matches_workload(const Query& query, const analysis::CatalogEntry& entry);

/// The scope of a request's cursors: its list and filters. `version`: another one where what the
/// cursors of a list hold got another meaning, so that older ones are refused.
std::string cursor_scope(const RequestContext& context, int version = 1);
/// The request's cursor, if it has one; an error if it is none of this list.
schema::Expected<std::optional<Cursor>> asked_cursor(RequestContext& context, std::size_t numbers,
                                                     std::size_t texts = 0, int version = 1);

/// The columns of a table, ordered by name, each with its backend.
using TableColumns = std::set<std::pair<std::string_view, std::string_view>>;
void write_columns(schema::JsonWriter& json, const TableColumns& columns);

/// Opens `{"items":[` … and closes with next_cursor and total.
void begin_page(schema::JsonWriter& json);
/// The same without the last bracket, for pages that have more to say. `total` is null where it is
/// not known how many there are.
void end_items(schema::JsonWriter& json, const std::optional<std::string>& next_cursor,
               std::optional<std::int64_t> total);
void end_page(schema::JsonWriter& json, const std::optional<std::string>& next_cursor,
              std::int64_t total);

/// Writes the member `name`, an array of run references.
void write_runs(schema::JsonWriter& json, std::string_view name,
                std::span<const service::RunEntry* const> runs);

/// What people said of each of `runs`, which are of one accelerator model: a list of lists.
schema::Expected<void> write_run_marks(schema::JsonWriter& json, RequestContext& context,
                                       std::span<const service::RunEntry* const> runs);

}  // namespace benchhud::server
