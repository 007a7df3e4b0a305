SELECT sums, extents FROM trace_track WHERE trace_id = $1 AND thread = $2
