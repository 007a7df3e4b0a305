INSERT INTO delivery (notification_id, target, attempts, last_at, last_error) VALUES ($1, $2, 1, $3, '')
ON CONFLICT (notification_id, target) DO UPDATE
SET attempts = delivery.attempts + 1, last_at = excluded.last_at, last_error = ''
WHERE delivery.delivered_at IS NULL AND (delivery.last_error <> '' OR delivery.last_at < $4)
