SELECT id FROM text WHERE hash = $1
