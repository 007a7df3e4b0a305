SELECT id, timestamp, has_timing, has_verdict, coalesce(run_name, '')
FROM invocation WHERE run_id = $1 ORDER BY timestamp, id
