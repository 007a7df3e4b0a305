DELETE FROM invocation_file
WHERE invocation_id IN (SELECT id FROM invocation WHERE run_id = $1)
