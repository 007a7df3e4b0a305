INSERT INTO artifact (kind, name, path, base, model, repetition, part, content_hash, byte_count,
                      ingested_at, problem_count, error, text_id, trace_id, report_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
