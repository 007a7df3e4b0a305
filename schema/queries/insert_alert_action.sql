INSERT INTO alert_action (alert_id, at, who, kind, value) VALUES ($1, $2, $3, $4, $5)
