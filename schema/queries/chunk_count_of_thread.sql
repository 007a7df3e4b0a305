SELECT max(number) + 1 FROM trace_chunk WHERE trace_id = $1 AND thread = $2
