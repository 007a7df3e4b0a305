SELECT id, suite, model, test, accelerator, accelerator_model, batch_size, xla, xla_flags, dynamo,
       torch_xla2, flags, timed
FROM experiment AS e
WHERE suite = $1 AND model = $2 AND ($3 = '' OR test = $3)
  AND ($4 = '' OR accelerator_model = $4)
  AND EXISTS (SELECT 1 FROM result AS r WHERE r.experiment_id = e.id)
ORDER BY id
