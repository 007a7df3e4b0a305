SELECT kind, count FROM trace_finding_kind WHERE trace_id = $1 ORDER BY kind
