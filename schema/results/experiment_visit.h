// A store's experiments one after the other, without holding all.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/results/reader.h"

namespace benchhud::schema {

// Errors: those of the store, and of `visit`, which ends with its first.

/// The first `most` of Reader::experiments_after() of all.
Expected<std::vector<StoredExperiment>> first_experiments(Connection& connection, std::size_t most);

/// Visits what Reader::experiments_after() gives of all.
Expected<void> visit_experiments(
    Connection& connection, const std::function<Expected<void>(const StoredExperiment&)>& visit);

/// Whether there is an experiment with a greater id.
Expected<bool> has_experiments_after(Connection& connection, ExperimentId id);

/// What experiments have in common that differ in backend, batch size, configuration and
/// accelerator.
struct Workload {
  std::string suite, model, test;
};

/// Visits every workload that has experiments, by suite, model and test. What `visit` calls may
/// not visit workloads.
Expected<void> visit_workloads(Connection& connection,
                               const std::function<Expected<void>(const Workload&)>& visit);

/// Visits the experiments of a workload on `backend`, or those on all others.
Expected<void> visit_experiments_of(
    Connection& connection, const Workload& workload, const std::string& backend,
    bool is_on_backend, const std::function<Expected<void>(const StoredExperiment&)>& visit);

}  // namespace benchhud::schema
