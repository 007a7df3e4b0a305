UPDATE access_token SET withdrawn_at = $2 WHERE id = $1 AND withdrawn_at IS NULL
