-- Derived of a trace: numbers that change with time, of counter events.
CREATE TABLE trace_counter (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  number   INTEGER NOT NULL,  -- within the trace, from 0
  thread   INTEGER NOT NULL,
  name     TEXT    NOT NULL,  -- the event's, with its id where it has one
  key      TEXT    NOT NULL,  -- which of its numbers
  count    INTEGER NOT NULL,
  min      REAL    NOT NULL,
  max      REAL    NOT NULL,
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

-- Up to 4096 of a counter's values by time.
CREATE TABLE trace_counter_block (
  id       INTEGER PRIMARY KEY,
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  counter  INTEGER NOT NULL,
  number   INTEGER NOT NULL,  -- within the counter, from 0
  begin_ns INTEGER NOT NULL,  -- of the first and of the last
  end_ns   INTEGER NOT NULL,
  min      REAL    NOT NULL,
  max      REAL    NOT NULL,
  last     REAL    NOT NULL,
  bytes    BLOB    NOT NULL,  -- zstd: times and values
  UNIQUE (trace_id, counter, number)
) STRICT;
