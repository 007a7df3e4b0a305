SELECT number, thread, name, key, count, min, max FROM trace_counter WHERE trace_id = $1 ORDER BY number
