DELETE FROM trace_chunk
WHERE trace_id = $1 AND thread IN (SELECT thread FROM trace_thread WHERE trace_id = $1 AND is_async)
