INSERT INTO night_facts (run_id, revision, content, byte_count, is_zstd, bytes) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (run_id) DO UPDATE
SET revision = excluded.revision, content = excluded.content, byte_count = excluded.byte_count,
    is_zstd = excluded.is_zstd, bytes = excluded.bytes
