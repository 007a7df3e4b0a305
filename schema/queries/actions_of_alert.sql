SELECT id, at, who, kind, value, token FROM alert_action WHERE alert_id = $1 ORDER BY id
