-- A dump may lie in several places: each of them is remembered, so that none is read again.
CREATE TABLE artifact_file (
  path        TEXT PRIMARY KEY,  -- absolute
  artifact_id INTEGER NOT NULL REFERENCES artifact (id),
  disk_size   INTEGER NOT NULL,  -- bytes; with its time: what has not changed is not read again
  modified_ns INTEGER NOT NULL   -- since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_file_by_artifact ON artifact_file (artifact_id);
INSERT OR REPLACE INTO artifact_file
SELECT path, id, disk_size, modified_ns FROM artifact ORDER BY id;
DROP INDEX artifact_by_path;
ALTER TABLE artifact DROP COLUMN disk_size;
ALTER TABLE artifact DROP COLUMN modified_ns;
