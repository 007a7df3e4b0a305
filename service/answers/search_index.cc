#include "service/answers/search_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analysis/text/quantity_text.h"
#include "schema/alerts/alert.h"
#include "schema/base/time.h"
#include "schema/base/utf8.h"
#include "schema/model/metric.h"

namespace benchhud::service {
namespace {

using analysis::CatalogEntry;
using analysis::count_text;
using analysis::SearchText;
using analysis::TextMatch;
using schema::Expected;
using schema::to_int;
using Items = SearchIndex::Items;

/// So many names of dumps are searched, the newest: a few megabytes.
constexpr std::size_t kMostArtifacts = 50000;
/// More of an alert's notes than this is not searched.
constexpr std::size_t kMostNoteBytes = 4096;

/// "2025-11-10 00:03"
std::string moment(double at) {
  std::string text = schema::format_time(at).substr(0, 16);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string date(double at) { return schema::format_time(at).substr(0, 10); }

std::string id_text(auto id) { return std::to_string(to_int(id)); }

/// Names that a catalog keeps.
using Names = std::set<std::string_view>;

std::string joined(const Names& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

/// A few are named.
std::string some_backends(const Names& backends) {
  return backends.size() > 2 ? count_text(static_cast<std::int64_t>(backends.size()), "backend")
                             : joined(backends, ", ");
}

/// What experiments have in common that share a name. They are added in the catalog's order, which
/// has those of a model together.
struct Shared {
  Names tests, backends, accelerators;
  std::int64_t models = 0;
  std::size_t last_model = 0;

  void add(const CatalogEntry& entry) {
    const auto& e = entry.experiment();
    tests.insert(e.test);
    backends.insert(entry.backend());
    accelerators.insert(e.accelerator_model);
    if (models == 0 || entry.model() != last_model) ++models;
    last_model = entry.model();
  }
  std::string model_count() const { return count_text(models, "model"); }
  std::string test_names() const {
    std::vector<std::string_view> names;
    for (const auto& test : tests) names.push_back(schema::test_name(test));
    return fmt::format("{}", fmt::join(names, ", "));
  }
};

struct NamedParts {
  std::map<std::string_view, Shared> suites, backends, accelerators;

  explicit NamedParts(const analysis::Catalog& catalog) {
    for (const CatalogEntry& entry : catalog.entries()) {
      const auto& e = entry.experiment();
      suites[e.suite].add(entry);
      backends[entry.backend()].add(entry);
      accelerators[e.accelerator_model].add(entry);
    }
  }
};

SearchItem make_item(std::string title, std::string context, const std::string& keywords,
                     std::vector<std::pair<std::string, std::string>> address,
                     const std::vector<std::string>& aliases = {}) {
  SearchItem item;
  item.text = SearchText(title, keywords, aliases);
  item.title = std::move(title);
  item.context = std::move(context);
  item.address = std::move(address);
  return item;
}

SearchItem model_item(std::span<const CatalogEntry> entries) {
  Shared shared;
  for (const CatalogEntry& entry : entries) shared.add(entry);
  const auto& e = entries.front().experiment();
  SearchItem item = make_item(
      e.model,
      fmt::format("{}; {}; {}", e.suite, shared.test_names(), some_backends(shared.backends)),
      e.suite + " " + joined(shared.tests, " ") + " " + shared.test_names() + " " +
          joined(shared.backends, " ") + " " + joined(shared.accelerators, " "),
      {{"suite", e.suite}, {"model", e.model}}, {e.suite + "/" + e.model});
  item.experiments.reserve(entries.size());
  for (const CatalogEntry& entry : entries) item.experiments.push_back(entry.id());
  return item;
}

Items model_items(const analysis::Catalog& catalog) {
  Items items;
  const auto entries = catalog.entries();
  if (!entries.empty()) items.reserve(entries.back().model() + 1);
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    while (end < entries.size() && entries[end].model() == entries[begin].model()) ++end;
    items.push_back(model_item(entries.subspan(begin, end - begin)));
  }
  return items;
}

Items suite_items(const NamedParts& parts) {
  Items items;
  for (const auto& [suite, shared] : parts.suites) {
    items.push_back(make_item(std::string(suite),
                              shared.model_count() + "; " + some_backends(shared.backends), "suite",
                              {{"suite", std::string(suite)}}));
  }
  return items;
}

Items backend_items(const NamedParts& parts) {
  Items items;
  for (const auto& [backend, shared] : parts.backends) {
    items.push_back(make_item(std::string(backend),
                              shared.model_count() + "; " + shared.test_names(), "backend",
                              {{"backend", std::string(backend)}}));
  }
  return items;
}

Items accelerator_items(const NamedParts& parts, const Snapshot& snapshot) {
  Items items;
  for (const auto& [model, shared] : parts.accelerators) {
    const auto* runs = snapshot.runs_of(model);
    if (runs == nullptr) continue;
    items.push_back(make_item(
        std::string(model),
        count_text(static_cast<std::int64_t>(runs->size()), "run") + "; " + shared.model_count(),
        "accelerator", {{"accelerator_model", std::string(model)}}));
  }
  return items;
}

Items run_items(const Snapshot& snapshot) {
  Items items;
  items.reserve(snapshot.runs.size());
  for (const RunEntry& entry : snapshot.runs) {
    const auto& run = entry.run;
    std::string keywords = run.accelerator_model + " run ";
    for (const auto& [key, value] : run.labels) keywords += value + " ";
    auto& item = items.emplace_back(make_item(
        run.name,
        fmt::format("{}; {}", run.accelerator_model, count_text(run.result_count, "result")),
        keywords, {{"run", id_text(run.id)}}, {moment(run.started_at)}));
    item.at = run.started_at;
  }
  return items;
}

Items label_items(const Snapshot& snapshot) {
  struct Runs {
    std::int64_t count = 0;
    const schema::Run* newest = nullptr;
  };
  std::map<std::pair<std::string_view, std::string_view>, Runs> labels;
  for (const RunEntry& entry : snapshot.runs) {
    for (const auto& [key, value] : entry.run.labels) {
      Runs& runs = labels[{key, value}];
      if (runs.count++ == 0) runs.newest = &entry.run;
    }
  }
  Items items;
  for (const auto& [label, runs] : labels) {
    const auto& [key, value] = label;
    if (value.empty()) continue;
    auto& item = items.emplace_back(
        make_item(std::string(value), fmt::format("{} of {}", key, count_text(runs.count, "run")),
                  "label " + std::string(key),
                  {{"key", std::string(key)},
                   {"value", std::string(value)},
                   {"run", id_text(runs.newest->id)},
                   {"runs", std::to_string(runs.count)}},
                  {fmt::format("{}={}", key, value), fmt::format("{}:{}", key, value)}));
    item.at = runs.newest->started_at;
  }
  return items;
}

Expected<Items> alert_items(schema::Reader& reader) {
  // What further nights did not show is no alert any more, and not among them.
  BENCHHUD_ASSIGN(const auto alerts, schema::reported_alerts(reader.connection(), true));
  BENCHHUD_ASSIGN(const auto notes, schema::alert_notes(reader.connection()));
  std::unordered_map<schema::AlertId, std::string> notes_of;
  for (const auto& [id, note] : notes) {
    std::string& text = notes_of[id];
    if (text.size() < kMostNoteBytes) text += note + " ";
  }
  Items items;
  for (const auto& alert : alerts) {
    const std::string id = id_text(alert.id);
    const std::string owner = alert.owner.empty() ? "" : "; " + alert.owner;
    auto& item = items.emplace_back(make_item(
        alert.title.empty() ? "alert " + id : alert.title,
        fmt::format("alert {}; {}; since {}{}", id, alert.state, date(alert.onset), owner),
        fmt::format("alert {} {} {} {} {}", alert.state, alert.owner, alert.accelerator_model,
                    alert.link, notes_of[alert.id]),
        {{"alert", id}}, {id, "#" + id, "alert " + id}));
    item.at = alert.onset;
  }
  return items;
}

Items error_items(const std::vector<KnownError>& errors) {
  Items items;
  for (const KnownError& error : errors) {
    std::string kind(analysis::error_kind_name(error.kind));
    std::replace(kind.begin(), kind.end(), '_', ' ');
    auto& item = items.emplace_back(make_item(
        error.signature,
        fmt::format("{}; {}; last seen {}", kind,
                    count_text(static_cast<std::int64_t>(error.experiments), "experiment"),
                    date(error.last_seen)),
        "error failure", {{"signature", error.signature}}));
    item.at = error.last_seen;
  }
  return items;
}

std::string kind_words(schema::ArtifactKind kind) {
  std::string words(artifact_kind_name(kind));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

/// The newest dumps first; before them the kinds that there are.
Items artifact_items(const std::vector<schema::ArtifactName>& added, const Items& before) {
  Items items;
  const auto is_kind = [](const SearchItem& item) { return !item.at; };
  std::map<std::string, schema::ArtifactKind> kinds;
  for (const auto& item : before) {
    if (!is_kind(item)) break;
    items.push_back(item);
  }
  for (const auto& name : added) kinds.emplace(artifact_kind_name(name.kind), name.kind);
  for (const auto& [name, kind] : kinds) {
    const bool known = std::any_of(items.begin(), items.end(), [&](const auto& item) {
      return item.address.front().second == name;
    });
    if (known) continue;
    items.push_back(
        make_item(kind_words(kind), "all dumps of this kind", "dumps", {{"kind", name}}, {name}));
  }
  for (const auto& name : added) {
    auto& item = items.emplace_back(
        make_item(name.name, fmt::format("{}; {}", kind_words(name.kind), moment(name.ingested_at)),
                  "dump " + kind_words(name.kind), {{"artifact", id_text(name.id)}}));
    item.at = name.ingested_at;
  }
  for (const auto& item : before) {
    if (items.size() >= kMostArtifacts) break;
    if (!is_kind(item)) items.push_back(item);
  }
  return items;
}

Items metric_items() {
  Items items;
  for (const auto& info : schema::known_metrics()) {
    items.push_back(
        make_item(std::string(info.name), std::string(info.explanation),
                  fmt::format("metric {} {}", family_name(info.family), info.explanation),
                  {{"metric", std::string(info.name)}}));
  }
  return items;
}

std::shared_ptr<const Items> shared(Items items) {
  return std::make_shared<const Items>(std::move(items));
}

std::vector<SearchHits> find(const SearchIndex& index, auto&& match) {
  std::vector<SearchHits> found;
  for (std::size_t kind = 0; kind < kSearchKinds; ++kind) {
    SearchHits of_kind{static_cast<SearchKind>(kind), {}};
    for (const SearchItem& item : index.items(of_kind.kind)) {
      if (const std::optional<TextMatch> how = match(item)) of_kind.hits.push_back({*how, &item});
    }
    if (of_kind.hits.empty()) continue;
    std::stable_sort(of_kind.hits.begin(), of_kind.hits.end(), [](const auto& a, const auto& b) {
      // What has no time, a kind of dumps say, is before what has.
      constexpr double kAlways = 1e18;
      return std::tuple(a.match, -a.item->at.value_or(kAlways)) <
             std::tuple(b.match, -b.item->at.value_or(kAlways));
    });
    found.push_back(std::move(of_kind));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.hits.front().match < b.hits.front().match;
  });
  return found;
}

}  // namespace

std::string_view search_kind_name(SearchKind kind) {
  constexpr std::array<std::string_view, kSearchKinds> kNames = {
      "model", "suite", "backend", "accelerator", "run",
      "label", "alert", "error",   "artifact",    "metric"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Expected<SearchIndex> SearchIndex::make(schema::Reader& reader, const Snapshot& snapshot,
                                        const std::vector<KnownError>& errors,
                                        const SearchIndex* before) {
  // Another store may have come in its place, or one of a later state.
  if (before != nullptr && before->revision_ > snapshot.revision) before = nullptr;
  SearchIndex index;
  const auto place = [&](SearchKind kind) -> std::shared_ptr<const Items>& {
    return index.items_[static_cast<std::size_t>(kind)];
  };
  if (before != nullptr) {
    index = *before;
  } else {
    place(SearchKind::kMetric) = shared(metric_items());
    place(SearchKind::kArtifact) = shared({});
  }
  index.revision_ = snapshot.revision;
  const NamedParts parts(*snapshot.catalog);
  if (before == nullptr || before->catalog_version_ != snapshot.catalog_version) {
    index.catalog_version_ = snapshot.catalog_version;
    place(SearchKind::kModel) = shared(model_items(*snapshot.catalog));
    place(SearchKind::kSuite) = shared(suite_items(parts));
    place(SearchKind::kBackend) = shared(backend_items(parts));
  }
  place(SearchKind::kAccelerator) = shared(accelerator_items(parts, snapshot));
  place(SearchKind::kRun) = shared(run_items(snapshot));
  place(SearchKind::kLabel) = shared(label_items(snapshot));
  BENCHHUD_ASSIGN(auto alerts, alert_items(reader));
  place(SearchKind::kAlert) = shared(std::move(alerts));
  place(SearchKind::kError) = shared(error_items(errors));
  BENCHHUD_ASSIGN(const auto added, reader.artifact_names(index.last_artifact_, kMostArtifacts));
  if (!added.empty()) {
    index.last_artifact_ = added.front().id;
    place(SearchKind::kArtifact) =
        shared(artifact_items(added, index.items(SearchKind::kArtifact)));
  }
  return index;
}

std::vector<SearchHits> search(const SearchIndex& index, const analysis::TextQuery& query) {
  auto found = find(index, [&](const SearchItem& item) { return query.match(item.text); });
  if (!found.empty()) return found;
  return find(index, [&](const SearchItem& item) {
    return query.nearly(item.text) ? std::optional(TextMatch::kNearly) : std::nullopt;
  });
}

}  // namespace benchhud::service
