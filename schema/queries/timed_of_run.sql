SELECT count(timing_line_id) FROM result WHERE run_id = $1
