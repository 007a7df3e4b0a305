INSERT INTO trace_flow_kind (trace_id, category, ends) VALUES ($1, $2, $3)
