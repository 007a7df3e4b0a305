DELETE FROM trace_group
WHERE trace_id = $1 AND thread IN (SELECT thread FROM trace_thread WHERE trace_id = $1 AND is_async)
