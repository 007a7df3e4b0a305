SELECT id, timed FROM experiment WHERE hash = $1
