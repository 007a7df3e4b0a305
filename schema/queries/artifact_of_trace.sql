SELECT max(id) FROM artifact WHERE trace_id = $1
