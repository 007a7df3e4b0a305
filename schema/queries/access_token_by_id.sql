SELECT id, name, scopes, created_at, expires_at, withdrawn_at, hash FROM access_token WHERE id = $1
