INSERT INTO trace_note (content_hash, begin_ns, end_ns, thread, words, who, at, token)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
