UPDATE run SET started_at = $2, verified_at = $3
WHERE id = $1 AND (started_at <> $2 OR verified_at IS DISTINCT FROM $3)
