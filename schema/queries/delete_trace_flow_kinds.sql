DELETE FROM trace_flow_kind WHERE trace_id = $1
