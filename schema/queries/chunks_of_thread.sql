SELECT slices, extras FROM trace_chunk WHERE trace_id = $1 AND thread = $2 ORDER BY number
