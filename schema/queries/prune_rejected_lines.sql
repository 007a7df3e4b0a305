UPDATE rejected_line
SET pruned_at = $2, text_id = $3
WHERE pruned_at IS NULL AND file_id IN (SELECT id FROM ingested_file WHERE ingested_at < $1)
