// What the files say: runs, results, lines, measurements, experiments, models.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "analysis/results/runner_command.h"
#include "schema/alerts/night_quality.h"
#include "schema/base/ascii.h"
#include "schema/base/utf8.h"
#include "server/routes/result_list.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"

namespace benchhud::server {
namespace {

using analysis::CatalogEntry;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::to_int;

/// Whether `run` comes behind (time, id) in a list with the newest first.
bool is_behind(const schema::Run& run, double started_at, std::int64_t id) {
  return run.started_at < started_at || (run.started_at == started_at && to_int(run.id) < id);
}

Expected<void> write_run_page(RequestContext& context, schema::JsonWriter& json,
                              const std::optional<Cursor>& cursor) {
  const Query& query = context.query;
  const std::size_t limit = query.size("limit");
  begin_page(json);
  std::int64_t total = 0;
  std::size_t written = 0;
  const service::RunEntry* last = nullptr;
  bool more = false;
  for (const service::RunEntry& entry : context.snapshot().runs) {
    const auto& run = entry.run;
    if (!matches_run(query, run)) continue;
    ++total;
    if (cursor && !is_behind(run, from_bits(cursor->numbers[0]), cursor->numbers[1])) continue;
    if (written == limit) {
      more = true;
      continue;
    }
    BENCHHUD_ASSIGN(const auto card, context.analyses.card(context.view, entry));
    views::write_run(json, run, *card);
    last = &entry;
    ++written;
  }
  std::optional<std::string> next;
  if (more) {
    next =
        make_cursor(cursor_scope(context), {to_bits(last->run.started_at), to_int(last->run.id)});
  }
  end_page(json, next, total);
  return {};
}

Expected<ResponsePlan> list_runs(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 2));
  return ResponsePlan{revision_key(context), [&context, cursor](schema::JsonWriter& json) {
                        return write_run_page(context, json, cursor);
                      }};
}

Expected<ResponsePlan> get_run(RequestContext& context) {
  BENCHHUD_ASSIGN(const service::RunEntry* entry, asked_run(context));
  return ResponsePlan{std::to_string(entry->history),
                      [&context, entry](schema::JsonWriter& json) -> Expected<void> {
                        BENCHHUD_ASSIGN(const auto card,
                                        context.analyses.card(context.view, *entry));
                        views::write_run(json, entry->run, *card);
                        return {};
                      }};
}

Expected<void> write_night_quality(RequestContext& context, schema::JsonWriter& json,
                                   const service::RunEntry& entry) {
  BENCHHUD_ASSIGN(const auto known,
                  schema::night_quality(context.reader().connection(), entry.run.id));
  const schema::NightQuality quality = known.value_or(schema::NightQuality());
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, entry.run);
  json.field("judged", quality.judged);
  json.field("off", quality.off);
  json.field("is_disturbed", bool{quality.is_disturbed});
  json.field("scatter", quality.scatter);
  json.key("alike");
  json.begin_array();
  for (const schema::RunId id : quality.alike) {
    const service::RunEntry* other = context.snapshot().find(id);
    if (other != nullptr) views::write_run_ref(json, other->run);
  }
  json.end_array();
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_night_quality(RequestContext& context) {
  BENCHHUD_ASSIGN(const service::RunEntry* entry, asked_run(context));
  // It follows from the nights after it, too.
  return ResponsePlan{revision_key(context), [&context, entry](schema::JsonWriter& json) {
                        return write_night_quality(context, json, *entry);
                      }};
}

Expected<void> write_results(RequestContext& context, schema::JsonWriter& json,
                             const ResultList& list, const std::optional<Cursor>& cursor) {
  begin_page(json);
  std::optional<ResultPlace> after;
  if (cursor) {
    after = ResultPlace{from_bits(cursor->numbers[0]), schema::RunId{cursor->numbers[1]},
                        schema::ExperimentId{cursor->numbers[2]}};
  }
  const std::size_t limit = context.query.size("limit");
  std::size_t written = 0;
  std::optional<ResultPlace> last;
  bool more = false;
  const auto take = [&](const service::RunEntry& run, const CatalogEntry& entry,
                        const analysis::ResultView& view) {
    if (written == limit) {
      more = true;
      return false;
    }
    json.begin_object();
    views::write_result_fields(json, run.run.id, entry, view);
    json.end_object();
    last = ResultPlace{run.run.started_at, run.run.id, entry.id()};
    ++written;
    return true;
  };
  BENCHHUD_TRY(list.walk(context, after, take));
  BENCHHUD_ASSIGN(const std::int64_t total, list.total(context));
  std::optional<std::string> next;
  if (more) {
    next = make_cursor(cursor_scope(context),
                       {to_bits(last->started_at), to_int(last->run), to_int(last->experiment)});
  }
  end_page(json, next, total);
  return {};
}

Expected<ResponsePlan> list_results(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 3));
  BENCHHUD_ASSIGN(auto list, ResultList::make(context));
  std::string key = list.key(context);
  return ResponsePlan{std::move(key),
                      [&context, cursor, list = std::move(list)](schema::JsonWriter& json) {
                        return write_results(context, json, list, cursor);
                      }};
}

/// A result as its own address shows it, with what it is made of.
struct Detail {
  const service::RunEntry* run;
  const CatalogEntry* entry;
  schema::ResultFacts facts;
  std::vector<schema::LineFacts> lines;
};

Expected<Detail> asked_detail(RequestContext& context) {
  BENCHHUD_ASSIGN(auto result, asked_result(context));
  BENCHHUD_ASSIGN(auto lines, context.reader().lines(result.run->run.id, result.entry->id()));
  return Detail{result.run, result.entry, std::move(result.facts), std::move(lines)};
}

void write_reproduction(schema::JsonWriter& json, const schema::ExperimentView& experiment,
                        const analysis::ResultView& view) {
  analysis::RunnerOptions options;
  options.repeat = view.repeat;
  options.iterations_per_run = view.iterations_per_run;
  json.key("reproduction");
  json.begin_object();
  json.field("timing", analysis::runner_command(experiment, options));
  // A verification is an invocation of its own, which times nothing.
  std::optional<std::string> verification;
  if (view.verification) {
    analysis::RunnerOptions verify;
    verify.verify = true;
    verification = analysis::runner_command(experiment, verify);
  }
  json.field("verification", verification);
  json.end_object();
}

Expected<void> write_detail(RequestContext& context, schema::JsonWriter& json,
                            const Detail& detail) {
  std::optional<schema::VerificationFacts> earlier;
  if (!detail.facts.verification) {
    BENCHHUD_ASSIGN(earlier, context.reader().last_verification(detail.entry->id(),
                                                                detail.run->run.started_at));
  }
  const auto errors = service::error_texts(context.view);
  BENCHHUD_ASSIGN(const auto view, analysis::judge_stored_result(context.reader(), *detail.entry,
                                                                 detail.facts, earlier, errors));
  json.begin_object();
  views::write_result_fields(json, detail.run->run.id, *detail.entry, view);
  json.key("run");
  views::write_run_ref(json, detail.run->run);
  json.key("lines");
  json.list(detail.lines, [&](const auto& line) {
    std::optional<std::string> excerpt;
    const auto error = line.error ? errors.get(*line.error) : nullptr;
    if (error) excerpt = error->excerpt;
    views::write_line(json, line, detail.facts, excerpt);
  });
  BENCHHUD_TRY(errors.status());
  write_reproduction(json, detail.entry->experiment(), view);
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_result(RequestContext& context) {
  BENCHHUD_ASSIGN(auto detail, asked_detail(context));
  std::string key = service::AnalysisCache::dependencies(context.snapshot(), *detail.run, {});
  return ResponsePlan{std::move(key),
                      [&context, detail = std::move(detail)](schema::JsonWriter& json) {
                        return write_detail(context, json, detail);
                      }};
}

Expected<void> write_measurements(RequestContext& context, schema::JsonWriter& json,
                                  const Detail& detail, std::size_t first) {
  begin_page(json);
  const std::size_t end = first + context.query.size("limit");
  std::size_t place = 0;
  for (const auto& line : detail.lines) {
    BENCHHUD_ASSIGN(const auto measurements, context.reader().measurements(line.id));
    for (const auto& measurement : measurements) {
      if (place >= first && place < end) views::write_measurement(json, measurement);
      ++place;
    }
  }
  std::optional<std::string> next;
  if (end < place) next = make_cursor(cursor_scope(context), {static_cast<std::int64_t>(end)});
  end_page(json, next, static_cast<std::int64_t>(place));
  return {};
}

Expected<ResponsePlan> list_measurements(RequestContext& context) {
  BENCHHUD_ASSIGN(const auto cursor, asked_cursor(context, 1));
  BENCHHUD_ASSIGN(auto detail, asked_detail(context));
  const std::size_t first = cursor ? static_cast<std::size_t>(cursor->numbers[0]) : 0;
  std::string key = service::AnalysisCache::dependencies(context.snapshot(), *detail.run, {});
  return ResponsePlan{std::move(key),
                      [&context, first, detail = std::move(detail)](schema::JsonWriter& json) {
                        return write_measurements(context, json, detail, first);
                      }};
}

Expected<ResponsePlan> get_error(RequestContext& context) {
  auto line = context.reader().line(schema::LineId{context.query.integer("id")});
  if (!line) {
    context.wrong_parameter = "id";
    return std::move(line).error();
  }
  if (!line->error) {
    context.wrong_parameter = "id";
    return Error{ErrorCode::kNotFound, "That line carries no error."};
  }
  return ResponsePlan{revision_key(context),
                      [&context, id = *line->error]() -> Expected<std::string> {
                        BENCHHUD_ASSIGN(const auto text, context.reader().text(id));
                        return schema::to_valid_utf8(text);
                      },
                      "text/plain; charset=utf-8"};
}

/// When the newest run of each experiment started that `matches`, of those that have results.
template <class Matches>
Expected<std::map<schema::ExperimentId, double>> last_runs_of(RequestContext& context,
                                                              const Matches& matches) {
  std::vector<schema::ExperimentId> experiments;
  for (const CatalogEntry& entry : context.catalog().entries()) {
    if (matches(entry)) experiments.push_back(entry.id());
  }
  return context.reader().last_runs(experiments);
}

Expected<void> write_experiments(RequestContext& context, schema::JsonWriter& json,
                                 const std::optional<Cursor>& cursor) {
  const ExperimentFilter filter(context.query);
  const auto entries = context.catalog().entries();
  std::size_t first = 0;
  if (cursor) {
    const auto* last = context.catalog().find(schema::ExperimentId{cursor->numbers[0]});
    if (last == nullptr) {
      return wrong_parameter(context, "cursor", "The list has changed since; begin again.");
    }
    first = context.catalog().place(*last) + 1;
  }
  begin_page(json);
  const std::size_t limit = context.query.size("limit");
  std::int64_t total = 0;
  std::size_t written = 0;
  const CatalogEntry* last = nullptr;
  bool more = false;
  BENCHHUD_ASSIGN(const auto last_runs, last_runs_of(context, [&](const CatalogEntry& entry) {
                    return filter.matches(entry);
                  }));
  for (std::size_t place = 0; place < entries.size(); ++place) {
    if (!filter.matches(entries[place]) || !last_runs.contains(entries[place].id())) continue;
    ++total;
    if (place < first) continue;
    if (written == limit) {
      more = true;
      continue;
    }
    views::write_experiment(json, entries[place]);
    last = &entries[place];
    ++written;
  }
  std::optional<std::string> next;
  if (more) next = make_cursor(cursor_scope(context), {to_int(last->id())});
  end_page(json, next, total);
  return {};
}

Expected<ResponsePlan> list_experiments(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 1));
  return ResponsePlan{revision_key(context), [&context, cursor](schema::JsonWriter& json) {
                        return write_experiments(context, json, cursor);
                      }};
}

Expected<ResponsePlan> get_experiment(RequestContext& context) {
  const auto* entry = context.catalog().find(schema::ExperimentId{context.query.integer("id")});
  if (entry == nullptr) {
    context.wrong_parameter = "id";
    return Error{ErrorCode::kNotFound, "There is no experiment with that id."};
  }
  return ResponsePlan{std::to_string(context.snapshot().catalog_version),
                      [entry](schema::JsonWriter& json) -> Expected<void> {
                        views::write_experiment(json, *entry);
                        return {};
                      }};
}

struct ModelItem {
  std::set<std::string_view> tests, backends, accelerator_models;
  double last_run_at = -kForever;
};

void write_words(schema::JsonWriter& json, std::string_view name,
                 const std::set<std::string_view>& words) {
  json.key(name);
  json.list(words, [&](const auto word) { json.value(word); });
}

Expected<void> write_models(RequestContext& context, schema::JsonWriter& json,
                            const std::optional<Cursor>& cursor) {
  const ExperimentFilter filter(context.query);
  const auto& part = context.query.text("q");
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, ModelItem> models;
  const auto matches = [&](const CatalogEntry& entry) {
    const auto& e = entry.experiment();
    return filter.matches(entry) && (schema::contains_ignoring_case(e.suite, part) ||
                                     schema::contains_ignoring_case(e.model, part));
  };
  BENCHHUD_ASSIGN(const auto last_runs, last_runs_of(context, matches));
  for (const CatalogEntry& entry : context.catalog().entries()) {
    const auto started_at = last_runs.find(entry.id());
    if (started_at == last_runs.end()) continue;
    const auto& e = entry.experiment();
    ModelItem& item = models[{e.suite, e.model}];
    item.tests.insert(e.test);
    item.backends.insert(entry.backend());
    item.accelerator_models.insert(e.accelerator_model);
    item.last_run_at = std::max(item.last_run_at, started_at->second);
  }
  auto at = models.begin();
  if (cursor) at = models.upper_bound({cursor->texts[0], cursor->texts[1]});
  begin_page(json);
  std::optional<Key> last;
  for (std::size_t written = 0; at != models.end() && written < context.query.size("limit");
       ++at, ++written) {
    last = at->first;
    json.begin_object();
    json.field("suite", at->first.first);
    json.field("model", at->first.second);
    write_words(json, "tests", at->second.tests);
    write_words(json, "backends", at->second.backends);
    write_words(json, "accelerator_models", at->second.accelerator_models);
    json.key("last_run_at");
    views::write_time(json, at->second.last_run_at);
    json.end_object();
  }
  std::optional<std::string> next;
  if (at != models.end() && last) {
    next = make_cursor(cursor_scope(context), {},
                       {std::string(last->first), std::string(last->second)});
  }
  end_page(json, next, static_cast<std::int64_t>(models.size()));
  return {};
}

Expected<ResponsePlan> list_models(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 0, 2));
  return ResponsePlan{revision_key(context), [&context, cursor](schema::JsonWriter& json) {
                        return write_models(context, json, cursor);
                      }};
}

}  // namespace

std::span<const NamedRoute> fact_routes() {
  static constexpr std::array routes = {NamedRoute{"listRuns", list_runs},
                                        NamedRoute{"getRun", get_run},
                                        NamedRoute{"getNightQuality", get_night_quality},
                                        NamedRoute{"listResults", list_results},
                                        NamedRoute{"getResult", get_result},
                                        NamedRoute{"listMeasurements", list_measurements},
                                        NamedRoute{"getError", get_error},
                                        NamedRoute{"listExperiments", list_experiments},
                                        NamedRoute{"getExperiment", get_experiment},
                                        NamedRoute{"listModels", list_models}};
  return routes;
}

}  // namespace benchhud::server
