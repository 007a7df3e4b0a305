DELETE FROM trace_finding_kind WHERE trace_id = $1
