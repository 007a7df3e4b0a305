INSERT INTO audit (at, action, detail) VALUES ($1, $2, $3)
