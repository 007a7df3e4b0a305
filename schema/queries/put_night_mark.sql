INSERT INTO night_mark (accelerator_model, name, kind, reason, who, at, token)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (accelerator_model, name, kind)
DO UPDATE SET reason = excluded.reason, who = excluded.who, at = excluded.at,
  token = excluded.token
