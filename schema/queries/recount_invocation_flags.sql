UPDATE invocation
SET has_timing = CASE WHEN EXISTS (SELECT 1 FROM line WHERE invocation_id = $1 AND timed = 1)
                 THEN 1 ELSE 0 END,
    has_verdict = CASE WHEN EXISTS (SELECT 1 FROM line WHERE invocation_id = $1
                                    AND code NOT IN ('VERIFIER_SKIPPED', 'VERIFIER_DIDNT_RUN'))
                  THEN 1 ELSE 0 END
WHERE id = $1
