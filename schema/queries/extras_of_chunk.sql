SELECT extras FROM trace_chunk WHERE trace_id = $1 AND thread = $2 AND number = $3
