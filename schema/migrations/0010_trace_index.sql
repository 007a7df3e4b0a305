-- Derived of a trace: what it is searched and summed up by. None of it is there while a trace is not indexed yet.
CREATE TABLE trace_index (
  trace_id INTEGER PRIMARY KEY REFERENCES trace (id),
  version  INTEGER NOT NULL,  -- of the rules by which it was made
  begin_ns INTEGER NOT NULL,  -- of the first slice
  end_ns   INTEGER NOT NULL   -- of the slice that ends last
) STRICT;

-- Of each label: how many slices, how long, and how many begin in each of 256 parts of the trace.
CREATE TABLE trace_label_sums (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  block    INTEGER NOT NULL,  -- of the labels from 1024 times this on
  bytes    BLOB    NOT NULL,  -- a zstd frame
  PRIMARY KEY (trace_id, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_track (
  trace_id    INTEGER NOT NULL REFERENCES trace (id),
  thread      INTEGER NOT NULL,
  busy_ns     INTEGER NOT NULL,  -- of its first row
  point_count INTEGER NOT NULL,  -- without metadata
  sums        BLOB    NOT NULL,  -- zstd: of its labels
  extents     BLOB    NOT NULL,  -- zstd: when each of its chunks begins and ends
  PRIMARY KEY (trace_id, thread)
) STRICT, WITHOUT ROWID;

-- The same sums of a chunk and of a group of chunks.
CREATE TABLE trace_sums (
  id       INTEGER PRIMARY KEY,
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  thread   INTEGER NOT NULL,
  is_group INTEGER NOT NULL,
  number   INTEGER NOT NULL,  -- of the chunk or the group
  sums     BLOB    NOT NULL,  -- zstd
  within   BLOB,              -- zstd, of a chunk: how much of each slice what is right within it takes; null: nothing
  UNIQUE (trace_id, thread, is_group, number)
) STRICT;

-- In which chunks of a thread a label is.
CREATE TABLE trace_posting (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  label    INTEGER NOT NULL,
  thread   INTEGER NOT NULL,
  chunks   BLOB    NOT NULL,  -- numbers, ascending
  PRIMARY KEY (trace_id, label, thread)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_flow_kind (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  category INTEGER NOT NULL,  -- the number of a text
  ends     INTEGER NOT NULL,
  PRIMARY KEY (trace_id, category)
) STRICT, WITHOUT ROWID;
