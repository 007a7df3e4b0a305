UPDATE invocation
SET has_timing = CASE WHEN $2 = 1 THEN 1 ELSE has_timing END,
    has_verdict = CASE WHEN $3 = 1 THEN 1 ELSE has_verdict END
WHERE id = $1
