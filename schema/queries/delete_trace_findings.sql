DELETE FROM trace_finding WHERE trace_id = $1
