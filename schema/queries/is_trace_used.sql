SELECT 1 FROM artifact WHERE trace_id = $1 LIMIT 1
