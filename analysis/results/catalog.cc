#include "analysis/results/catalog.h"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <compare>
#include <map>
#include <set>
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

/// Of texts that a catalog keeps, equal ones are the same one.
std::strong_ordering compare(const std::string* a, const std::string* b) {
  return a == b ? std::strong_ordering::equal : a->compare(*b) <=> 0;
}

/// All that tells one setup from another: the texts are kept once, so that their places do.
auto identity_of(const ExperimentSetup& setup) {
  return std::tuple(setup.suite, setup.accelerator, setup.accelerator_model, setup.test, setup.xla,
                    setup.xla_flags, setup.dynamo, setup.torch_xla2, setup.flags);
}

}  // namespace

std::vector<std::string> configuration_parts(const schema::ExperimentView& experiment) {
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

void Configurations::add(const schema::ExperimentView& experiment) {
  count(&backends_[{experiment.accelerator_model, experiment.backend()}], experiment, true);
}

void Configurations::add_other(const schema::ExperimentView& experiment) {
  const auto backend = backends_.find({experiment.accelerator_model, experiment.backend()});
  if (backend != backends_.end()) count(&backend->second, experiment, false);
}

void Configurations::count(OfBackend* backend, const schema::ExperimentView& experiment,
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

std::string Configurations::distinction(const schema::ExperimentView& experiment) const {
  const auto& [known, owners] = backends_.at({experiment.accelerator_model, experiment.backend()});
  std::vector<std::string> own;
  for (auto& part : configuration_parts(experiment)) {
    if (owners.at(part) < known.size()) own.push_back(std::move(part));
  }
  return joined(own, ", ");
}

bool CatalogEntry::is_before(const CatalogEntry& other) const {
  const ExperimentSetup& a = *setup_;
  const ExperimentSetup& b = *other.setup_;
  if (const auto order = compare(a.suite, b.suite); order != 0) return order < 0;
  if (const auto order = compare(model_name_, other.model_name_); order != 0) return order < 0;
  if (const auto order = compare(a.test, b.test); order != 0) return order < 0;
  if (const auto order = compare(a.backend, b.backend); order != 0) return order < 0;
  if (batch_size_ != other.batch_size_) return batch_size_ < other.batch_size_;
  if (const auto order = compare(a.configuration, b.configuration); order != 0) return order < 0;
  const auto order = compare(a.accelerator_model, b.accelerator_model);
  return order != 0 ? order < 0 : id_ < other.id_;
}

std::size_t CatalogBuilder::SetupHash::operator()(const ExperimentSetup* setup) const {
  return boost::hash_value(identity_of(*setup));
}

bool CatalogBuilder::SameSetup::operator()(const ExperimentSetup* a,
                                           const ExperimentSetup* b) const {
  return identity_of(*a) == identity_of(*b);
}

const std::string* CatalogBuilder::keep(const std::string& text) {
  const auto known = known_texts_.find(text);
  if (known != known_texts_.end()) return known->second;
  const std::string& kept = catalog_.texts_.emplace_back(text);
  known_texts_.emplace(kept, &kept);
  return &kept;
}

const std::optional<std::string>* CatalogBuilder::keep(const std::optional<std::string>& text) {
  if (!text) {
    if (none_ == nullptr) none_ = &catalog_.options_.emplace_back();
    return none_;
  }
  const auto known = known_options_.find(*text);
  if (known != known_options_.end()) return known->second;
  const std::optional<std::string>& kept = catalog_.options_.emplace_back(text);
  known_options_.emplace(*kept, &kept);
  return &kept;
}

const ExperimentSetup& CatalogBuilder::setup_of(const schema::ExperimentView& experiment) {
  const ExperimentSetup* const last = last_;
  if (last != nullptr && *last->flags == experiment.flags && *last->test == experiment.test &&
      *last->dynamo == experiment.dynamo && *last->xla == experiment.xla &&
      *last->suite == experiment.suite && *last->accelerator == experiment.accelerator &&
      *last->accelerator_model == experiment.accelerator_model &&
      *last->xla_flags == experiment.xla_flags && *last->torch_xla2 == experiment.torch_xla2) {
    return *last;
  }
  ExperimentSetup setup;
  setup.suite = keep(experiment.suite);
  setup.accelerator = keep(experiment.accelerator);
  setup.accelerator_model = keep(experiment.accelerator_model);
  setup.test = keep(experiment.test);
  setup.xla = keep(experiment.xla);
  setup.xla_flags = keep(experiment.xla_flags);
  setup.dynamo = keep(experiment.dynamo);
  setup.torch_xla2 = keep(experiment.torch_xla2);
  setup.flags = keep(experiment.flags);
  const auto known = known_setups_.find(&setup);
  if (known != known_setups_.end()) return **known;
  setup.backend = keep(experiment.backend());
  setup.configuration = keep(joined(configuration_parts(experiment), "\n"));
  const ExperimentSetup& kept = catalog_.setups_.emplace_back(setup);
  known_setups_.insert(&kept);
  return kept;
}

void CatalogBuilder::add(schema::ExperimentId id, const schema::ExperimentView& experiment) {
  const ExperimentSetup& setup = setup_of(experiment);
  last_ = &setup;
  const std::string* const model = keep(experiment.model);
  catalog_.entries_.push_back(CatalogEntry(id, setup, *model, experiment.batch_size));
}

void CatalogBuilder::name_columns(const Configurations& configurations) {
  using TestAndName = std::pair<std::string_view, std::string_view>;
  std::map<TestAndName, std::uint32_t> columns, backends;
  const std::string no_model;
  for (ExperimentSetup& setup : catalog_.setups_) {
    const std::string distinction = configurations.distinction(setup.of(no_model, std::nullopt));
    setup.column =
        distinction.empty() ? setup.backend : keep(*setup.backend + " [" + distinction + "]");
    columns.emplace(TestAndName(*setup.test, *setup.column), 0);
    backends.emplace(TestAndName(*setup.test, *setup.backend), 0);
  }
  for (auto* groups : {&columns, &backends}) {
    std::uint32_t next = 0;
    for (auto& group : *groups) group.second = next++;
  }
  for (ExperimentSetup& setup : catalog_.setups_) {
    setup.column_group = columns.at({*setup.test, *setup.column});
    setup.backend_group = backends.at({*setup.test, *setup.backend});
  }
}

void CatalogBuilder::number_entries() {
  using Workload = std::pair<const std::string*, const std::string*>;  // test, accelerator model
  // Of one model: they have numbers in the order in which they come.
  std::map<Workload, std::uint32_t> workloads;
  std::map<std::pair<std::uint32_t, std::optional<std::int64_t>>, std::uint32_t> comparables;
  std::uint32_t next_workload = 0, next_comparable = 0;
  const CatalogEntry* before = nullptr;
  for (CatalogEntry& entry : catalog_.entries_) {
    const bool is_same = before != nullptr && before->setup_->suite == entry.setup_->suite &&
                         before->model_name_ == entry.model_name_;
    if (before != nullptr) entry.model_ = before->model_ + (is_same ? 0 : 1);
    if (!is_same) {
      workloads.clear();
      comparables.clear();
    }
    before = &entry;
    const auto [workload, is_new_workload] = workloads.try_emplace(
        Workload(entry.setup_->test, entry.setup_->accelerator_model), next_workload);
    next_workload += is_new_workload ? 1 : 0;
    entry.workload_ = workload->second;
    const auto [comparable, is_new] =
        comparables.try_emplace(std::pair(entry.workload_, entry.batch_size_), next_comparable);
    next_comparable += is_new ? 1 : 0;
    entry.comparable_ = comparable->second;
  }
}

Catalog CatalogBuilder::finish(const Configurations* known) && {
  if (known != nullptr) {
    name_columns(*known);
  } else {
    Configurations own;
    const std::string no_model;
    for (const ExperimentSetup& setup : catalog_.setups_) own.add(setup.of(no_model, std::nullopt));
    name_columns(own);
  }
  // Sorting takes no memory beside this then.
  known_texts_ = {};
  known_options_ = {};
  known_setups_ = {};
  std::sort(catalog_.entries_.begin(), catalog_.entries_.end(),
            [](const auto& a, const auto& b) { return a.is_before(b); });
  number_entries();
  auto& places = catalog_.places_;
  places.reserve(catalog_.entries_.size());
  for (const CatalogEntry& entry : catalog_.entries_) {
    places.push_back({entry.id(), static_cast<std::uint32_t>(places.size())});
  }
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return std::move(catalog_);
}

Catalog::Catalog(const std::vector<schema::StoredExperiment>& experiments) {
  CatalogBuilder builder;
  for (const auto& stored : experiments) builder.add(stored.id, stored.experiment);
  *this = std::move(builder).finish();
}

const CatalogEntry* Catalog::find(schema::ExperimentId id) const {
  if (places_.empty() || id < places_.front().id) return nullptr;
  // Ids are row numbers: where none before it is missing, this is where it is.
  const std::uint64_t most = static_cast<std::uint64_t>(schema::to_int(id)) -
                             static_cast<std::uint64_t>(schema::to_int(places_.front().id));
  if (most < places_.size() && places_[most].id == id) return &entries_[places_[most].place];
  const auto found = std::lower_bound(
      places_.begin(), places_.end(), id,
      [](const PlaceOfId& one, schema::ExperimentId wanted) { return one.id < wanted; });
  return found == places_.end() || found->id != id ? nullptr : &entries_[found->place];
}

}  // namespace benchhud::analysis
