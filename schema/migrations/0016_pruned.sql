-- What was pruned is remembered, so that it does not come back with the next ingest.

ALTER TABLE rejected_line ADD COLUMN pruned_at REAL;
ALTER TABLE artifact ADD COLUMN pruned_at REAL;

CREATE TABLE pruned_invocation (
  accelerator_model TEXT NOT NULL,
  timestamp         REAL NOT NULL,
  pruned_at         REAL NOT NULL,
  PRIMARY KEY (accelerator_model, timestamp)
) STRICT, WITHOUT ROWID;
