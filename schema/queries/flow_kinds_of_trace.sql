SELECT category, ends FROM trace_flow_kind WHERE trace_id = $1 ORDER BY category
