SELECT id, suite, model, test, accelerator, accelerator_model, batch_size, xla, xla_flags, dynamo,
       torch_xla2, flags, timed
FROM experiment WHERE id = $1
