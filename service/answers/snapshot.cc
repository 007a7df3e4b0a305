#include "service/answers/snapshot.h"

#include <algorithm>
#include <utility>

#include "schema/base/fingerprint.h"
#include "schema/results/experiment_visit.h"
#include "service/answers/read_catalog.h"

namespace benchhud::service {
namespace {

using schema::Expected;

/// The limit for cached error texts, and the overhead of one. Cached runs keep their own error
/// texts alive beyond this limit.
constexpr std::size_t kErrorTextBytes = std::size_t{12} << 20;
constexpr std::size_t kBytesOfErrorText = sizeof(analysis::ErrorText) + 192;
/// As many of the longest fit into the half of it: none drives out another before it is asked for.
constexpr std::size_t kMostReadAhead = 4096;
/// Transactions that began before and after a commit may want their snapshots in turns.
constexpr std::size_t kKeptSnapshots = 4;

std::string key_of(schema::TextId id) { return std::to_string(schema::to_int(id)); }

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return schema::fingerprint(a, schema::fingerprint(b, 17));
}

/// Labels and all of a run that did not change since `before` need not be read again.
Expected<void> read_runs(schema::Reader& reader, const Snapshot* before, Snapshot* now) {
  schema::RunFilter filter;
  filter.with_labels = false;
  BENCHHUD_ASSIGN(auto runs, reader.runs(filter));
  std::vector<schema::Run> changed;
  for (auto& run : runs) {
    const RunEntry* known = before == nullptr ? nullptr : before->find(run.id);
    if (known != nullptr && known->run.revision == run.revision) {
      run.labels = known->run.labels;
    } else {
      changed.push_back(run);
    }
  }
  BENCHHUD_TRY(reader.add_labels(changed));
  now->runs.reserve(runs.size());
  auto labelled = changed.begin();
  for (auto& run : runs) {
    if (labelled != changed.end() && labelled->id == run.id) run = std::move(*labelled++);
    now->result_count += run.result_count;
    now->places.emplace(run.id, now->runs.size());
    now->runs.push_back({std::move(run), 0, {}});
  }
  return {};
}

void link_histories(Snapshot* now) {
  std::map<std::string, std::size_t> order;
  for (std::size_t place = 0; place < now->runs.size(); ++place) {
    const auto& model = now->runs[place].run.accelerator_model;
    const auto [found, is_new] = order.try_emplace(model, now->accelerators.size());
    if (is_new) now->accelerators.emplace_back(model, std::vector<std::size_t>());
    now->accelerators[found->second].second.push_back(place);
  }
  for (auto& [model, places] : now->accelerators) {
    std::uint64_t history = schema::fingerprint(model);
    for (std::size_t i = places.size(); i-- > 0;) {
      RunEntry& entry = now->runs[places[i]];
      history = mix(history, mix(static_cast<std::uint64_t>(schema::to_int(entry.run.id)),
                                 static_cast<std::uint64_t>(entry.run.revision)));
      entry.history = history;
      if (i + 1 < places.size()) entry.previous = places[i + 1];
    }
  }
}

/// Rows that go give their ids to others, so what was read by id is good only while no run has
/// gone.
bool nothing_went(const Snapshot& before, const Snapshot& now) {
  return std::all_of(before.runs.begin(), before.runs.end(), [&](const RunEntry& entry) {
    const RunEntry* same = now.find(entry.run.id);
    return same != nullptr && same->run.revision >= entry.run.revision;
  });
}

Expected<void> add_catalog(schema::Reader& reader, const Snapshot* before, Snapshot* now) {
  if (before != nullptr) {
    BENCHHUD_ASSIGN(const bool has_more,
                    schema::has_experiments_after(reader.connection(), before->catalog->last_id()));
    if (!has_more) {
      now->catalog = before->catalog;
      now->catalog_version = before->catalog_version;
      return {};
    }
  }
  BENCHHUD_ASSIGN(auto catalog, read_catalog(reader.connection()));
  now->catalog = std::make_shared<const analysis::Catalog>(std::move(catalog));
  now->catalog_version = static_cast<std::uint64_t>(now->revision);
  return {};
}

Expected<std::shared_ptr<const Snapshot>> make_snapshot(schema::Reader& reader,
                                                        std::int64_t revision,
                                                        const Snapshot* before) {
  auto now = std::make_shared<Snapshot>();
  now->revision = revision;
  BENCHHUD_TRY(read_runs(reader, before, now.get()));
  link_histories(now.get());
  if (before != nullptr && (before->revision > revision || !nothing_went(*before, *now))) {
    before = nullptr;
  }
  now->error_texts = before != nullptr ? before->error_texts : std::make_shared<ErrorTextCache>();
  BENCHHUD_TRY(add_catalog(reader, before, now.get()));
  return std::shared_ptr<const Snapshot>(std::move(now));
}

}  // namespace

ErrorTextCache::ErrorTextCache()
    : texts_(kErrorTextBytes, [](const analysis::ErrorText& text) {
        return kBytesOfErrorText + text.signature.capacity() + text.excerpt.capacity();
      }) {}

Expected<std::shared_ptr<const analysis::ErrorText>> ErrorTextCache::get(schema::Reader& reader,
                                                                         schema::TextId id) {
  return texts_.get(key_of(id), [&]() -> Expected<analysis::ErrorText> {
    BENCHHUD_ASSIGN(const std::string text, reader.text(id));
    return analysis::read_error(text);
  });
}

Expected<void> ErrorTextCache::read_ahead(schema::Reader& reader,
                                          std::span<const schema::TextId> ids) {
  std::vector<schema::TextId> missing;
  for (const schema::TextId id : ids) {
    if (missing.size() == kMostReadAhead) break;
    if (texts_.find(key_of(id)) == nullptr) missing.push_back(id);
  }
  return reader.visit_texts(missing, [&](schema::TextId id, std::string_view text) {
    texts_.put(key_of(id), std::make_shared<const analysis::ErrorText>(analysis::read_error(text)));
  });
}

std::size_t Snapshot::nights_within(std::int64_t results, std::span<const std::size_t> nights,
                                    std::size_t most) const {
  nights = nights.first(std::min(most, nights.size()));
  std::int64_t sum = 0;
  const auto beyond = std::find_if(nights.begin(), nights.end(), [&](std::size_t night) {
    sum += runs[night].run.result_count;
    return sum > results;
  });
  return static_cast<std::size_t>(beyond - nights.begin());
}

const RunEntry* Snapshot::find(schema::RunId id) const {
  const auto found = places.find(id);
  return found == places.end() ? nullptr : &runs[found->second];
}

const std::vector<std::size_t>* Snapshot::runs_of(std::string_view accelerator_model) const {
  for (const auto& [model, places_of_model] : accelerators) {
    if (model == accelerator_model) return &places_of_model;
  }
  return nullptr;
}

const RunEntry& Snapshot::newest_of(const RunEntry& entry) const {
  const auto* of_model = runs_of(entry.run.accelerator_model);
  return of_model == nullptr ? entry : runs[of_model->front()];
}

VerifiedRuns Snapshot::verified_runs(const RunEntry& entry) const {
  const auto from = [this](const RunEntry* at) {
    while (at != nullptr && !at->run.verified_at) at = before(*at);
    return at;
  };
  const RunEntry* run = from(&entry);
  return {run, run == nullptr ? nullptr : from(before(*run))};
}

Expected<std::shared_ptr<const Snapshot>> Snapshots::current(schema::Reader& reader) {
  BENCHHUD_ASSIGN(const auto revision, reader.revision());
  const std::scoped_lock lock(mutex_);
  const auto known = std::find_if(recent_.begin(), recent_.end(),
                                  [&](const auto& s) { return s->revision == revision; });
  if (known != recent_.end()) return *known;
  const auto newest =
      std::max_element(recent_.begin(), recent_.end(),
                       [](const auto& a, const auto& b) { return a->revision < b->revision; });
  const Snapshot* before = newest == recent_.end() ? nullptr : newest->get();
  BENCHHUD_ASSIGN(auto made, make_snapshot(reader, revision, before));
  recent_.insert(recent_.begin(), made);
  if (recent_.size() > kKeptSnapshots) recent_.pop_back();
  return made;
}

}  // namespace benchhud::service
