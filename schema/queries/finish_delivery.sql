UPDATE delivery
SET last_error = $3, last_at = $4, delivered_at = CASE WHEN $3 = '' THEN $4 ELSE NULL END
WHERE notification_id = $1 AND target = $2
