DELETE FROM trace_chunk WHERE trace_id = $1
