SELECT DISTINCT suite, model, test FROM experiment INDEXED BY experiment_by_model
ORDER BY suite, model, test
