-- When each device of a trace did anything. Traces that are there get it when they are derived again.
ALTER TABLE trace ADD COLUMN device_count INTEGER;

CREATE TABLE trace_device (
  trace_id       INTEGER NOT NULL REFERENCES trace (id),
  number         INTEGER NOT NULL,
  thread         INTEGER NOT NULL,
  begin_ns       INTEGER NOT NULL,
  end_ns         INTEGER NOT NULL,
  busy_ns        INTEGER NOT NULL,
  gaps           INTEGER NOT NULL,
  host_wait_ns   INTEGER NOT NULL,
  kernel_wait_ns INTEGER NOT NULL,
  other_ns       INTEGER NOT NULL,
  unknown_ns     INTEGER NOT NULL,
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_device_block (
  id       INTEGER PRIMARY KEY,
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  device   INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns   INTEGER NOT NULL,
  busy_ns  INTEGER NOT NULL,
  count    INTEGER NOT NULL,
  bytes    BLOB    NOT NULL,
  UNIQUE (trace_id, device, end_ns)
) STRICT;

-- Traces that somebody dropped on a page, to look at them for a while.
CREATE TABLE dropped_trace (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  token_id INTEGER NOT NULL,
  name     TEXT    NOT NULL,
  at       REAL    NOT NULL,
  until    REAL    NOT NULL,
  digest   BLOB    NOT NULL,
  PRIMARY KEY (trace_id, token_id)
) STRICT, WITHOUT ROWID;
-- Each request for a trace asks whether a dump has it.
CREATE INDEX artifact_of_trace ON artifact (trace_id) WHERE trace_id IS NOT NULL;
