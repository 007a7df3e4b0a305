INSERT INTO invocation (accelerator_model, timestamp, run_name, has_timing, has_verdict)
SELECT accelerator_model, timestamp, run_name, 0, 0 FROM invocation WHERE id = $1
