UPDATE artifact
SET pruned_at = $2, error = $3, text_id = NULL, trace_id = NULL, report_id = NULL
WHERE id = $1
