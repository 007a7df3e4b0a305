INSERT INTO ingested_file (path, content_hash, byte_count, line_count, accepted, duplicate, rejected,
                           ingested_at, lacks_timestamps, complete)
VALUES ($1, $2, 0, 0, 0, 0, 0, $3, 0, 0)
