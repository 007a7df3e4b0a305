-- All findings of a trace are kept, in blocks. Those of older programs, which kept the longest 1000 of each kind,
-- stay in trace_finding until the trace is derived again.
CREATE TABLE trace_finding_block (
  id       INTEGER PRIMARY KEY,
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  kind     TEXT    NOT NULL,
  number   INTEGER NOT NULL,  -- within the kind, from 0
  bytes    BLOB    NOT NULL,  -- zstd: up to 4096 findings of the kind, the longest first
  UNIQUE (trace_id, kind, number)
) STRICT;

-- Where among its kind, the longest first, the one is that begins first; null: of an older program.
ALTER TABLE trace_finding_kind ADD COLUMN earliest INTEGER;
