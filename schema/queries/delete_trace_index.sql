DELETE FROM trace_index WHERE trace_id = $1
