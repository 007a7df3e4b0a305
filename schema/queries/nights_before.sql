-- The nth run on an accelerator model that began at that time or before, counted back from 0.
SELECT started_at FROM run WHERE accelerator_model = $1 AND started_at <= $2
ORDER BY started_at DESC LIMIT 1 OFFSET $3
