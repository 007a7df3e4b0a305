SELECT id, name, scopes, created_at, expires_at, withdrawn_at FROM access_token ORDER BY id
