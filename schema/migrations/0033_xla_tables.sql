-- XPlane profiles have tables of XLA's operators now: a file that is still there is read again, and
-- its tables are added to the trace that is kept.
DELETE FROM artifact_file
WHERE artifact_id IN (SELECT id FROM artifact
                      WHERE kind = 'trace' AND pruned_at IS NULL AND trace_id IS NOT NULL
                        AND (path LIKE '%.xplane.pb' OR path LIKE '%.xplane.pb.gz'
                             OR path LIKE '%.xplane.pb.zst'));
