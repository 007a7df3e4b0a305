INSERT OR IGNORE INTO expected_result (accelerator_model, suite, model, test, backend) VALUES ($1, $2, $3, $4, $5)
