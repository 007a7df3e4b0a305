// All experiments of a store, in the order of lists, with the names that tables give their columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

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

/// Immutable once made, so threads may share it.
class Catalog {
 public:
  explicit Catalog(std::vector<schema::StoredExperiment> experiments);

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
