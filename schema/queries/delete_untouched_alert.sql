DELETE FROM alert
WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM alert_action WHERE alert_id = $1)
