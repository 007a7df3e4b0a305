SELECT nodes FROM trace_group WHERE trace_id = $1 AND thread = $2 AND number = $3
