SELECT within FROM trace_sums WHERE trace_id = $1 AND thread = $2 AND is_group = 0 AND number = $3
