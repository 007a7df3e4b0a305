INSERT INTO access_token (name, hash, scopes, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5)
