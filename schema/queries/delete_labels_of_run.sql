DELETE FROM invocation_label
WHERE invocation_id IN (SELECT id FROM invocation WHERE run_id = $1)
