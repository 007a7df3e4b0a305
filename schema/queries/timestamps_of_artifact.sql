SELECT DISTINCT timestamp FROM artifact_tie WHERE artifact_id = $1
