SELECT alert_id, value FROM alert_action WHERE kind = 'note' ORDER BY id
