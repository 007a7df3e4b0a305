INSERT INTO alert (accelerator_model, key, onset, detected, first_seen, confirmed_at, details)
VALUES ($1, $2, $3, $4, $5, $6, $7)
