-- Who may do what over HTTP. A token itself is nowhere: its hash tells it again. Rows stay when a
-- token is withdrawn, for the audit names tokens by id.
CREATE TABLE access_token (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL,
  hash         BLOB NOT NULL,  -- SHA-256 of the secret, which is 256 random bits
  scopes       TEXT NOT NULL,  -- names, in their order, with spaces between them
  created_at   REAL NOT NULL,
  expires_at   REAL,           -- null: never
  withdrawn_at REAL            -- null: it was not
) STRICT;
