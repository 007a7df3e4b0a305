INSERT INTO invocation (accelerator_model, timestamp, run_name, has_timing, has_verdict)
VALUES ($1, $2, $3, 0, 0)
