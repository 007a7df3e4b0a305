DELETE FROM trace_label_sums WHERE trace_id = $1
