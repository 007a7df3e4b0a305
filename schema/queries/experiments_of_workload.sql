SELECT id, suite, model, test, accelerator, accelerator_model, batch_size, xla, xla_flags, dynamo,
       torch_xla2, flags, timed
FROM experiment INDEXED BY experiment_by_model
WHERE suite = $1 AND model = $2 AND test = $3 AND (backend = $4) = $5
