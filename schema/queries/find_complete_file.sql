SELECT id, path, line_count, accepted, duplicate, rejected, ingested_at
FROM ingested_file
WHERE content_hash = $1 AND byte_count = $2 AND complete = 1
  AND (fallback_timestamp IS NULL OR fallback_timestamp = $3)
ORDER BY id DESC
LIMIT 1
