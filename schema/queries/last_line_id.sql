SELECT max(id) FROM line
