-- Dumps: what the runner leaves beside its results, and which results they belong to.
CREATE TABLE artifact (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind          TEXT    NOT NULL,  -- artifact_kind_name()
  name          TEXT    NOT NULL,  -- its place in the output directory
  path          TEXT    NOT NULL,  -- where it was read last
  base          TEXT    NOT NULL,  -- the part of its name that tells the experiment; '' where it has none
  model         TEXT    NOT NULL,  -- the folder that it was found in
  repetition    INTEGER,
  part          TEXT    NOT NULL,  -- what tells several dumps of one base apart
  content_hash  BLOB    NOT NULL,  -- XXH3-128 of the decompressed bytes
  byte_count    INTEGER NOT NULL,  -- decompressed
  disk_size     INTEGER NOT NULL,  -- of the file, with its time: what has not changed is not read again
  modified_ns   INTEGER NOT NULL,
  ingested_at   REAL    NOT NULL,
  problem_count INTEGER NOT NULL,
  error         TEXT,              -- why nothing could be made of it
  text_id       INTEGER REFERENCES text (id),   -- its text, whole; null: a trace, or an error
  trace_id      INTEGER REFERENCES trace (id),
  report_id     INTEGER REFERENCES text (id)    -- derived: what the trace tells, as JSON
) STRICT;
CREATE INDEX artifact_by_content ON artifact (name, content_hash);
CREATE INDEX artifact_by_path ON artifact (path);

-- Results are named by what makes them the same wherever they are ingested from and whatever run
-- they are put into: so a tie outlives the deletion of a run, and holds again when the run is back.
CREATE TABLE artifact_tie (
  artifact_id INTEGER NOT NULL REFERENCES artifact (id),
  experiment  BLOB    NOT NULL,  -- experiment.hash, as the line says it
  timestamp   REAL    NOT NULL,  -- the line's
  PRIMARY KEY (artifact_id, experiment, timestamp)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_tie_by_line ON artifact_tie (experiment, timestamp);
