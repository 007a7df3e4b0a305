SELECT r.id, r.file_id, r.path, r.line_number, r.byte_offset, r.byte_count, r.reason, f.ingested_at,
       x.bytes, x.zstd, x.byte_count
FROM rejected_line AS r
JOIN ingested_file AS f ON f.id = r.file_id
JOIN text AS x ON x.id = r.text_id
WHERE r.id < $1 AND r.pruned_at IS NULL
ORDER BY r.id DESC LIMIT $2
