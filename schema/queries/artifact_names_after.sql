SELECT id, kind, name, ingested_at
FROM artifact
WHERE id > $1
ORDER BY id DESC
LIMIT $2
