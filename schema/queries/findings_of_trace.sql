SELECT kind, thread, begin_ns, end_ns, words FROM trace_finding WHERE trace_id = $1 ORDER BY number
