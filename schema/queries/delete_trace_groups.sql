DELETE FROM trace_group WHERE trace_id = $1
