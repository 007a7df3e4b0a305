INSERT INTO trace_track (trace_id, thread, busy_ns, point_count, sums, extents)
VALUES ($1, $2, $3, $4, $5, $6)
