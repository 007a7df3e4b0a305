INSERT INTO artifact_tie (artifact_id, experiment, timestamp) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
