INSERT INTO notification (alert_id, event, made_at) VALUES ($1, $2, $3)
ON CONFLICT (alert_id, event) DO NOTHING
