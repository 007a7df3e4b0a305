DELETE FROM trace_thread WHERE trace_id = $1 AND is_async
