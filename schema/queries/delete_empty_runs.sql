DELETE FROM run WHERE id NOT IN (SELECT run_id FROM invocation WHERE run_id IS NOT NULL)
