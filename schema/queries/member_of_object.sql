SELECT type, value
FROM json_each(CASE WHEN json_valid($1) THEN $1 ELSE '{}' END)
WHERE key = $2
