SELECT thread, chunks FROM trace_posting WHERE trace_id = $1 AND label = $2 ORDER BY thread
