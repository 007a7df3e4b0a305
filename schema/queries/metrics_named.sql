SELECT name FROM metric WHERE name LIKE '%' || $1 || '%' ORDER BY name
