SELECT count(*) FROM artifact WHERE $1 IS NULL OR kind = $1
