DELETE FROM trace_note WHERE id = $1
