-- What finds alerts keeps, so that one more night costs no more than that: each run's results summed
-- up, and what was made of all nights so far. All of it can be made anew from the results.
CREATE TABLE night_facts (
  run_id     INTEGER PRIMARY KEY,
  revision   INTEGER NOT NULL,  -- of the run when it was summed up
  content    BLOB    NOT NULL,  -- content_hash()
  byte_count INTEGER NOT NULL,
  is_zstd    INTEGER NOT NULL,
  bytes      BLOB    NOT NULL
) STRICT;

CREATE TABLE watch_state (
  id                INTEGER PRIMARY KEY,
  accelerator_model TEXT    NOT NULL UNIQUE,
  night_count       INTEGER NOT NULL,
  basis             TEXT    NOT NULL,  -- what it follows from, in the words of who watches
  content           BLOB    NOT NULL,  -- content_hash()
  byte_count        INTEGER NOT NULL,
  is_zstd           INTEGER NOT NULL,
  bytes             BLOB    NOT NULL
) STRICT;
