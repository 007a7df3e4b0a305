UPDATE ingested_file
SET content_hash = $2, byte_count = $3, line_count = $4, accepted = $5, duplicate = $6, rejected = $7,
    lacks_timestamps = $8, fallback_timestamp = $9, complete = 1
WHERE id = $1
