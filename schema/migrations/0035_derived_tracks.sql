-- Tracks that are derived of an XPlane profile's slices, as XProf derives them, stand behind the file's own.
ALTER TABLE trace_thread ADD COLUMN is_derived INTEGER NOT NULL DEFAULT 0;

-- By which rules they were derived. Profiles that are traces already have none: not derived. A file that is
-- still there is read again.
ALTER TABLE trace ADD COLUMN derived_version INTEGER;
DELETE FROM artifact_file
WHERE artifact_id IN (SELECT id FROM artifact
                      WHERE kind = 'trace' AND pruned_at IS NULL
                        AND (path LIKE '%.xplane.pb' OR path LIKE '%.xplane.pb.gz'
                             OR path LIKE '%.xplane.pb.zst'));
