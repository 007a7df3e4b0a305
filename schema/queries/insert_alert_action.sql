INSERT INTO alert_action (alert_id, at, who, kind, value, token) VALUES ($1, $2, $3, $4, $5, $6)
