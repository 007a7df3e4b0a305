SELECT 1 FROM artifact_tie WHERE artifact_id = $1 AND experiment = $2 AND timestamp = $3
