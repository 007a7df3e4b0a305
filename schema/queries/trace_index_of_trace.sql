SELECT begin_ns, end_ns FROM trace_index WHERE trace_id = $1 AND version = $2
