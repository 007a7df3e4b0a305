INSERT INTO watch_state (accelerator_model, night_count, basis, content, byte_count, is_zstd, bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (accelerator_model) DO UPDATE
SET night_count = excluded.night_count, basis = excluded.basis, content = excluded.content,
    byte_count = excluded.byte_count, is_zstd = excluded.is_zstd, bytes = excluded.bytes
