SELECT id FROM metric WHERE name = $1
