-- The backend is what the runner's keys make it: dynamo's name, and whether XLA is under it.
CREATE INDEX results_by_series ON results
  ((model.model_name), (coalesce(experiment.xla, '') || ' ' || coalesce(experiment.dynamo, '')), (experiment.test), timestamp)
