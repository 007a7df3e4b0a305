DELETE FROM trace_counter_block WHERE trace_id = $1
