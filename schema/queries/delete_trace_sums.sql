DELETE FROM trace_sums WHERE trace_id = $1
