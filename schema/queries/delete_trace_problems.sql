DELETE FROM trace_problem WHERE trace_id = $1
