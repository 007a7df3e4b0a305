SELECT key, value FROM setting WHERE substr(key, 1, length($1)) = $1 ORDER BY key
