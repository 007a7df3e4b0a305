SELECT byte_offset, reason FROM trace_problem WHERE trace_id = $1 ORDER BY number
