#include "analysis/catalog.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace benchhud::analysis {
namespace {

/// Splits a flat view of a JSON object's text at its top-level commas: `{"a":1,"b":[2,3]}` gives
/// `a=1` and `b=[2,3]`. The text is the store's own, made with sorted keys and no spaces.
std::vector<std::string> object_parts(std::string_view json) {
  std::vector<std::string> parts;
  if (json.size() < 2 || json.front() != '{' || json.back() != '}') return parts;
  json = json.substr(1, json.size() - 2);
  std::string part;
  bool in_text = false, escaped = false, in_key = true;
  int depth = 0;
  for (const char c : json) {
    if (in_text) {
      if (escaped) {
        escaped = false;
      } else if (c == '\\') {
        escaped = true;
      } else if (c == '"') {
        in_text = false;
        if (depth == 0) continue;
      }
    } else if (c == '"') {
      in_text = true;
      if (depth == 0) continue;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':' && depth == 0 && in_key) {
      in_key = false;
      part += '=';
      continue;
    } else if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
      in_key = true;
      continue;
    }
    part += c;
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

auto order_key(const CatalogEntry& entry) {
  const auto& e = entry.experiment();
  return std::tie(e.suite, e.model, e.test, entry.backend, e.batch_size, entry.configuration,
                  e.accelerator_model, entry.stored.id);
}

/// Numbers what has one test and one `name`, in the order of both.
void number_groups(std::vector<CatalogEntry>* entries, std::string CatalogEntry::* name,
                   std::size_t CatalogEntry::* group) {
  const auto key = [&](const CatalogEntry& entry) {
    return std::pair<std::string_view, std::string_view>(entry.experiment().test, entry.*name);
  };
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> numbers;
  for (const auto& entry : *entries) numbers.emplace(key(entry), 0);
  std::size_t next = 0;
  for (auto& item : numbers) item.second = next++;
  for (auto& entry : *entries) entry.*group = numbers.at(key(entry));
}

}  // namespace

std::vector<std::string> configuration_parts(const schema::Experiment& experiment) {
  std::vector<std::string> parts;
  if (experiment.xla) parts.push_back("xla=" + *experiment.xla);
  if (experiment.torch_xla2 && experiment.dynamo) parts.push_back("dynamo=" + *experiment.dynamo);
  if (experiment.xla_flags && !experiment.xla_flags->empty())
    parts.push_back(*experiment.xla_flags);
  for (auto& part : object_parts(experiment.flags)) parts.push_back(std::move(part));
  // Two accelerators (cuda, cpu) with one model's name are unlike enough to be told apart.
  parts.push_back("accelerator=" + experiment.accelerator);
  return parts;
}

void Configurations::add(const schema::Experiment& experiment) {
  count(&backends_[{experiment.accelerator_model, experiment.backend()}], experiment, true);
}

void Configurations::add_other(const schema::Experiment& experiment) {
  const auto backend = backends_.find({experiment.accelerator_model, experiment.backend()});
  if (backend != backends_.end()) count(&backend->second, experiment, false);
}

void Configurations::count(OfBackend* backend, const schema::Experiment& experiment,
                           bool keeps_parts) {
  const auto parts = configuration_parts(experiment);
  if (!backend->known.insert(schema::content_hash(joined(parts, "\n"))).second) return;
  for (const auto& part : std::set<std::string>(parts.begin(), parts.end())) {
    const auto owned = backend->owners.find(part);
    if (owned != backend->owners.end()) {
      ++owned->second;
    } else if (keeps_parts) {
      backend->owners.emplace(part, 1);
    }
  }
}

std::string Configurations::distinction(const schema::Experiment& experiment) const {
  const auto& [known, owners] = backends_.at({experiment.accelerator_model, experiment.backend()});
  std::vector<std::string> own;
  for (auto& part : configuration_parts(experiment)) {
    if (owners.at(part) < known.size()) own.push_back(std::move(part));
  }
  return joined(own, ", ");
}

Catalog::Catalog(std::vector<schema::StoredExperiment> experiments)
    : Catalog(std::move(experiments), std::nullopt) {}

Catalog::Catalog(std::vector<schema::StoredExperiment> experiments,
                 std::optional<Configurations> known) {
  entries_.reserve(experiments.size());
  Configurations own;
  for (auto& stored : experiments) {
    if (!known) own.add(stored.experiment);
    CatalogEntry entry;
    entry.stored = std::move(stored);
    entry.backend = entry.experiment().backend();
    entry.configuration = joined(configuration_parts(entry.experiment()), "\n");
    entries_.push_back(std::move(entry));
  }
  const Configurations& configurations = known ? *known : own;
  std::sort(entries_.begin(), entries_.end(),
            [](const auto& a, const auto& b) { return order_key(a) < order_key(b); });

  using Workload =
      std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  std::map<Workload, std::size_t> workloads;
  std::map<std::pair<std::size_t, std::optional<std::int64_t>>, std::size_t> comparables;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::string> columns;
  for (std::size_t place = 0; place < entries_.size(); ++place) {
    CatalogEntry& entry = entries_[place];
    const auto& e = entry.experiment();
    places_.emplace(entry.stored.id, place);
    if (place > 0) {
      const auto& before = entries_[place - 1];
      const bool same =
          before.experiment().suite == e.suite && before.experiment().model == e.model;
      entry.model = before.model + (same ? 0 : 1);
    }
    const Workload workload{e.suite, e.model, e.test, e.accelerator_model};
    entry.workload = workloads.emplace(workload, workloads.size()).first->second;
    entry.comparable =
        comparables.emplace(std::pair{entry.workload, e.batch_size}, comparables.size())
            .first->second;
    std::string& column = columns[{e.accelerator_model, entry.backend, entry.configuration}];
    if (column.empty()) {
      const std::string distinction = configurations.distinction(e);
      column = distinction.empty() ? entry.backend : entry.backend + " [" + distinction + "]";
    }
    entry.column = column;
  }
  number_groups(&entries_, &CatalogEntry::column, &CatalogEntry::column_group);
  number_groups(&entries_, &CatalogEntry::backend, &CatalogEntry::backend_group);
}

const CatalogEntry* Catalog::find(schema::ExperimentId id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &entries_[found->second];
}

}  // namespace benchhud::analysis
