SELECT bytes FROM trace_counter_block WHERE trace_id = $1 AND counter = $2 AND number = $3
