SELECT id FROM experiment WHERE family = $1 AND timed = 1 ORDER BY id
