SELECT key, value
FROM json_each(CASE WHEN json_valid($1) THEN $1 ELSE '{}' END)
