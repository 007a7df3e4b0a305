UPDATE alert SET onset = $2, detected = $3, confirmed_at = $4, details = $5
WHERE id = $1 AND (onset <> $2 OR detected <> $3 OR confirmed_at IS DISTINCT FROM $4
                   OR details <> $5)
