SELECT count FROM trace_group WHERE trace_id = $1 AND thread = $2 ORDER BY number
