DELETE FROM trace_track WHERE trace_id = $1
