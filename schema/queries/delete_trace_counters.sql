DELETE FROM trace_counter WHERE trace_id = $1
