DELETE FROM trace_posting WHERE trace_id = $1
