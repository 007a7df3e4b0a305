SELECT id, path, line_count, accepted, duplicate, rejected, ingested_at
FROM ingested_file
WHERE content_hash = $1 AND byte_count = $2 AND complete = 1
  AND (lacks_timestamps = 0 OR fallback_timestamp IS NOT DISTINCT FROM $3)
ORDER BY id DESC
LIMIT 1
