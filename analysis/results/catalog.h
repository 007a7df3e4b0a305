// All experiments of a store, in the order of lists, with the names that tables give their columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/results/reader.h"

namespace benchhud::analysis {

/// What experiments of a catalog have in common that differ in nothing but model and batch size,
/// and what follows from it. A catalog keeps each text once.
struct ExperimentSetup {
  const std::string* suite = nullptr;
  const std::string* accelerator = nullptr;
  const std::string* accelerator_model = nullptr;
  const std::string* test = nullptr;
  const std::optional<std::string>* xla = nullptr;
  const std::optional<std::string>* xla_flags = nullptr;
  const std::optional<std::string>* dynamo = nullptr;
  const std::optional<std::string>* torch_xla2 = nullptr;
  const std::string* flags = nullptr;
  const std::string* backend = nullptr;
  const std::string* configuration = nullptr;
  const std::string* column = nullptr;
  std::uint32_t column_group = 0;
  std::uint32_t backend_group = 0;

  schema::ExperimentView of(const std::string& model,
                            const std::optional<std::int64_t>& batch_size) const {
    return {*suite,     model,   *accelerator, *accelerator_model, *test, *xla,
            *xla_flags, *dynamo, *torch_xla2,  batch_size,         *flags};
  }
};

/// An experiment of a catalog, and valid for as long as that is. There may be millions, so it is
/// small.
class CatalogEntry {
 public:
  CatalogEntry(schema::ExperimentId id, const ExperimentSetup& setup, const std::string& model,
               std::optional<std::int64_t> batch_size)
      : id_(id), setup_(&setup), model_name_(&model), batch_size_(batch_size) {}

  schema::ExperimentId id() const { return id_; }
  schema::ExperimentView experiment() const { return setup_->of(*model_name_, batch_size_); }
  const std::string& backend() const { return *setup_->backend; }
  /// The backend; where it has several configurations on the accelerator model, with what tells
  /// this one from the others in brackets: `openxla+dynamo [--xla_gpu_enable_x=true]`.
  const std::string& column() const { return *setup_->column; }
  /// Everything that tells configurations of a backend apart: equal texts, equal configurations.
  const std::string& configuration() const { return *setup_->configuration; }
  /// Equal for experiments of one test and column, or of one test and backend; in the order of
  /// both.
  std::size_t column_group() const { return setup_->column_group; }
  std::size_t backend_group() const { return setup_->backend_group; }
  /// Equal for experiments of one suite and model; in the order of both.
  std::size_t model() const { return model_; }
  /// Equal for experiments of one suite, model, test and accelerator model, in that order.
  std::size_t workload() const { return workload_; }
  /// Equal for those that also share the batch size: the ones that a speedup may compare.
  std::size_t comparable() const { return comparable_; }

 private:
  friend class CatalogBuilder;
  /// By suite, model, test, backend, batch size, configuration, accelerator model and id.
  bool is_before(const CatalogEntry& other) const;

  schema::ExperimentId id_;
  const ExperimentSetup* setup_;
  const std::string* model_name_;
  std::optional<std::int64_t> batch_size_;
  std::uint32_t model_ = 0;
  std::uint32_t workload_ = 0;
  std::uint32_t comparable_ = 0;
};

/// What tells the configurations of a backend on an accelerator model apart.
class Configurations {
 public:
  void add(const schema::ExperimentView& experiment);
  /// One of which no distinction() is asked: what it has in common with those that were added is
  /// counted, and nothing of it is kept but a hash.
  void add_other(const schema::ExperimentView& experiment);
  /// The parts of the configuration of an experiment that was added which not all configurations of
  /// its backend have, with commas between them.
  std::string distinction(const schema::ExperimentView& experiment) const;

 private:
  struct OfBackend {
    std::unordered_set<schema::ContentHash, schema::ContentHashHasher> known;
    std::map<std::string, std::size_t> owners;  // of each part: how many configurations have it
  };
  /// `keeps_parts`: whether parts are counted that no other configuration had so far.
  static void count(OfBackend* backend, const schema::ExperimentView& experiment, bool keeps_parts);

  std::map<std::pair<std::string, std::string>, OfBackend> backends_;
};

/// Immutable once made, so threads may share it.
class Catalog {
 public:
  explicit Catalog(const std::vector<schema::StoredExperiment>& experiments);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  Catalog(Catalog&&) = default;
  Catalog& operator=(Catalog&&) = default;
  ~Catalog() = default;

  /// By suite, model, test, backend, batch size (none first), configuration, accelerator model, id.
  std::span<const CatalogEntry> entries() const { return entries_; }
  /// Null for an id that is not in it.
  const CatalogEntry* find(schema::ExperimentId id) const;
  /// The greatest id; 0 where there are no experiments.
  schema::ExperimentId last_id() const {
    return places_.empty() ? schema::ExperimentId{0} : places_.back().id;
  }
  /// The place in entries() of an entry of this catalog.
  std::size_t place(const CatalogEntry& entry) const { return &entry - entries_.data(); }

 private:
  friend class CatalogBuilder;
  struct PlaceOfId {
    schema::ExperimentId id{};
    std::uint32_t place = 0;
  };
  Catalog() = default;

  // What entries and setups point at: deques, so that nothing moves.
  std::deque<std::string> texts_;
  std::deque<std::optional<std::string>> options_;
  std::deque<ExperimentSetup> setups_;
  std::vector<CatalogEntry> entries_;
  std::vector<PlaceOfId> places_;  // by id
};

/// Makes a catalog of experiments that come one by one, so that they need not be in memory at once.
class CatalogBuilder {
 public:
  void add(schema::ExperimentId id, const schema::ExperimentView& experiment);
  /// `known`: where the catalog is of a part of the store's experiments, what tells configurations
  /// apart among all: the part was added to it, and the rest as others. Null: there are no others.
  Catalog finish(const Configurations* known = nullptr) &&;

 private:
  struct SetupHash {
    std::size_t operator()(const ExperimentSetup* setup) const;
  };
  struct SameSetup {
    bool operator()(const ExperimentSetup* a, const ExperimentSetup* b) const;
  };

  const std::string* keep(const std::string& text);
  const std::optional<std::string>* keep(const std::optional<std::string>& text);
  const ExperimentSetup& setup_of(const schema::ExperimentView& experiment);
  void name_columns(const Configurations& configurations);
  void number_entries();

  Catalog catalog_;
  const ExperimentSetup* last_ = nullptr;  // most experiments have what the one before has
  std::unordered_map<std::string_view, const std::string*> known_texts_;
  std::unordered_map<std::string_view, const std::optional<std::string>*> known_options_;
  const std::optional<std::string>* none_ = nullptr;
  std::unordered_set<const ExperimentSetup*, SetupHash, SameSetup> known_setups_;
};

/// The configuration of an experiment as parts that a person reads: `xla=XRT`, the XLA flags, and
/// `key=value` of every other flag. Without what the backend's name says already.
std::vector<std::string> configuration_parts(const schema::ExperimentView& experiment);

}  // namespace benchhud::analysis
