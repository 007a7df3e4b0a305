SELECT id, timestamp, run_name, has_timing, has_verdict, run_id
FROM invocation WHERE accelerator_model = $1 ORDER BY timestamp, id
