SELECT count(*) FROM artifact WHERE pruned_at IS NULL AND ($1 IS NULL OR kind = $1)
