SELECT id, path, content_hash, byte_count, line_count, accepted, duplicate, rejected, ingested_at
FROM ingested_file
WHERE id = $1
