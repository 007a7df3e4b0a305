// All experiments of a store, in the order of lists, with the names that tables give their columns.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "schema/content_hash.h"
#include "schema/reader.h"

namespace benchhud::analysis {

struct CatalogEntry {
  schema::StoredExperiment stored;
  std::string backend;
  /// The backend; where it has several configurations on the accelerator model, with what tells
  /// this one from the others in brackets: `openxla+dynamo [--xla_gpu_enable_x=true]`.
  std::string column;
  /// Everything that tells configurations of a backend apart: equal texts, equal configurations.
  std::string configuration;
  /// Equal for experiments of one suite and model; in the order of both.
  std::size_t model = 0;
  /// Equal for experiments of one test and column, or of one test and backend; in the order of
  /// both.
  std::size_t column_group = 0;
  std::size_t backend_group = 0;
  /// Equal for experiments of one suite, model, test and accelerator model, in that order.
  std::size_t workload = 0;
  /// Equal for those that also share the batch size: the ones that a speedup may compare.
  std::size_t comparable = 0;

  schema::ExperimentId id() const { return stored.id; }
  const schema::Experiment& experiment() const { return stored.experiment; }
};

/// What tells the configurations of a backend on an accelerator model apart.
class Configurations {
 public:
  void add(const schema::Experiment& experiment);
  /// One of which no distinction() is asked: what it has in common with those that were added is
  /// counted, and nothing of it is kept but a hash.
  void add_other(const schema::Experiment& experiment);
  /// The parts of the configuration of an experiment that was added which not all configurations of
  /// its backend have, with commas between them.
  std::string distinction(const schema::Experiment& experiment) const;

 private:
  struct OfBackend {
    std::unordered_set<schema::ContentHash, schema::ContentHashHasher> known;
    std::map<std::string, std::size_t> owners;  // of each part: how many configurations have it
  };
  /// `keeps_parts`: whether parts are counted that no other configuration had so far.
  static void count(OfBackend* backend, const schema::Experiment& experiment, bool keeps_parts);

  std::map<std::pair<std::string, std::string>, OfBackend> backends_;
};

/// Immutable once made, so threads may share it.
class Catalog {
 public:
  explicit Catalog(std::vector<schema::StoredExperiment> experiments);
  /// A part of the store's experiments, with the columns that they have among all: of these, the
  /// part was added to `known`, and the rest as others. None: there are no others.
  Catalog(std::vector<schema::StoredExperiment> experiments, std::optional<Configurations> known);

  /// By suite, model, test, backend, batch size (none first), configuration, accelerator model, id.
  std::span<const CatalogEntry> entries() const { return entries_; }
  /// Null for an id that is not in it.
  const CatalogEntry* find(schema::ExperimentId id) const;
  /// The place in entries() of an entry of this catalog.
  std::size_t place(const CatalogEntry& entry) const { return &entry - entries_.data(); }

 private:
  std::vector<CatalogEntry> entries_;
  std::unordered_map<schema::ExperimentId, std::size_t> places_;
};

/// The configuration of an experiment as parts that a person reads: `xla=XRT`, the XLA flags, and
/// `key=value` of every other flag. Without what the backend's name says already.
std::vector<std::string> configuration_parts(const schema::Experiment& experiment);

}  // namespace benchhud::analysis
