INSERT INTO experiment (hash, family, suite, model, test, backend, accelerator, accelerator_model,
                        batch_size, xla, xla_flags, dynamo, torch_xla2, flags, timed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0)
