SELECT stack_rows FROM trace_thread WHERE trace_id = $1 AND thread = $2
