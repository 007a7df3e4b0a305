SELECT thread, busy_ns, point_count, sums FROM trace_track WHERE trace_id = $1 ORDER BY thread
