DELETE FROM trace_block WHERE trace_id = $1
