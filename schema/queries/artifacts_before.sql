SELECT id, kind, name, path, base, model, repetition, part, content_hash, byte_count, ingested_at,
       problem_count, error, text_id, trace_id, report_id
FROM artifact
WHERE id < $1 AND pruned_at IS NULL AND ($2 IS NULL OR kind = $2)
ORDER BY id DESC
