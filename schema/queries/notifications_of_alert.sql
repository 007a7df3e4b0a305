SELECT count(*) FROM notification WHERE alert_id = $1
