SELECT run_id FROM invocation WHERE id = $1 AND run_id IS NOT NULL
