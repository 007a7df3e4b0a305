INSERT INTO text (hash, byte_count, zstd, bytes) VALUES ($1, $2, $3, $4)
