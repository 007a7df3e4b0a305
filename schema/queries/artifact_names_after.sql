SELECT id, kind, name, ingested_at
FROM artifact
WHERE id > $1 AND pruned_at IS NULL
ORDER BY id DESC
LIMIT $2
