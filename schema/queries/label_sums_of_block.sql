SELECT bytes FROM trace_label_sums WHERE trace_id = $1 AND block = $2
