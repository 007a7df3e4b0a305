-- XPlane profiles were listed, and are traces now: a file that is still there is read again. What is
-- listed stays, because the file of it may be gone.
DELETE FROM artifact_file
WHERE artifact_id IN (SELECT id FROM artifact
                      WHERE kind = 'xplane' AND pruned_at IS NULL
                        AND (path LIKE '%.xplane.pb' OR path LIKE '%.xplane.pb.gz'
                             OR path LIKE '%.xplane.pb.zst'));
