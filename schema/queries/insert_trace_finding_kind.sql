INSERT INTO trace_finding_kind (trace_id, kind, count) VALUES ($1, $2, $3)
