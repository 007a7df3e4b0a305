UPDATE ingested_file SET complete = 0;
DELETE FROM pruned_invocation;
DELETE FROM rejected_line WHERE pruned_at IS NOT NULL;
DELETE FROM artifact_file WHERE artifact_id IN (SELECT id FROM artifact WHERE pruned_at IS NOT NULL);
DELETE FROM artifact_tie WHERE artifact_id IN (SELECT id FROM artifact WHERE pruned_at IS NOT NULL);
DELETE FROM artifact WHERE pruned_at IS NOT NULL
