-- Traces, each content once; docs/data-model.md says how their events are laid out. All times are
-- whole nanoseconds on the trace's own clock.
CREATE TABLE trace (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  content_hash  BLOB    NOT NULL UNIQUE,  -- XXH3-128 of the decompressed file
  byte_count    INTEGER NOT NULL,         -- of the decompressed file
  base_ns       INTEGER NOT NULL,  -- the wall clock's, since 1970, at time 0; 0: not known
  slice_count   INTEGER NOT NULL,
  point_count   INTEGER NOT NULL,
  flow_count    INTEGER NOT NULL,  -- ends of arrows
  label_count   INTEGER NOT NULL,
  text_count    INTEGER NOT NULL,
  events        INTEGER NOT NULL,  -- objects of the file's event list, and what became of them
  broken        INTEGER NOT NULL,
  fillers       INTEGER NOT NULL,
  refused       INTEGER NOT NULL,
  pairs         INTEGER NOT NULL,
  flow_events   INTEGER NOT NULL,
  unclosed      INTEGER NOT NULL,
  unmatched     INTEGER NOT NULL,
  problem_count INTEGER NOT NULL
) STRICT;

-- What could not be taken as it is: the first of them.
CREATE TABLE trace_problem (
  trace_id    INTEGER NOT NULL REFERENCES trace (id),
  number      INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,  -- in the decompressed file
  reason      TEXT    NOT NULL,
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_thread (
  trace_id           INTEGER NOT NULL REFERENCES trace (id),
  thread             INTEGER NOT NULL,  -- numbered from 0
  pid                TEXT    NOT NULL,
  tid                TEXT    NOT NULL,
  process_name       TEXT    NOT NULL,
  name               TEXT    NOT NULL,
  process_labels     TEXT    NOT NULL,
  process_sort_index INTEGER,
  thread_sort_index  INTEGER,
  slice_count        INTEGER NOT NULL,
  row_count          INTEGER NOT NULL,
  begin_ns           INTEGER,           -- of its first slice; null: it has none
  end_ns             INTEGER,           -- of the slice that ends last
  stack_rows         BLOB    NOT NULL,  -- rows whose slices lie within no other
  PRIMARY KEY (trace_id, thread)
) STRICT, WITHOUT ROWID;

-- Texts, labels, arguments, points and flows: numbered things in blocks.
CREATE TABLE trace_block (
  id           INTEGER PRIMARY KEY,
  trace_id     INTEGER NOT NULL REFERENCES trace (id),
  kind         INTEGER NOT NULL,  -- TraceBlockKind
  first        INTEGER NOT NULL,  -- number of its first thing
  count        INTEGER NOT NULL,
  begin_ns     INTEGER,           -- points and flows: the earliest and the latest
  end_ns       INTEGER,
  first_thread INTEGER,           -- points: the least and the greatest
  last_thread  INTEGER,
  bytes        BLOB    NOT NULL,  -- a zstd frame
  UNIQUE (trace_id, kind, first)
) STRICT;

-- Slices of a thread by row and time, 4096 to 8191 together.
CREATE TABLE trace_chunk (
  id        INTEGER PRIMARY KEY,
  trace_id  INTEGER NOT NULL REFERENCES trace (id),
  thread    INTEGER NOT NULL,
  number    INTEGER NOT NULL,  -- within the thread, from 0
  first_row INTEGER NOT NULL,
  last_row  INTEGER NOT NULL,
  begin_ns  INTEGER NOT NULL,  -- the first beginning
  end_ns    INTEGER NOT NULL,  -- the last end
  count     INTEGER NOT NULL,
  nodes     BLOB,              -- zstd: what stands for 16 to 32 slices each; null: no row has more
  slices    BLOB    NOT NULL,  -- zstd: beginning, duration, label
  extras    BLOB    NOT NULL,  -- zstd: numbers of the arguments
  UNIQUE (trace_id, thread, number)
) STRICT;

-- The levels above, of up to 256 chunks of a thread.
CREATE TABLE trace_group (
  id        INTEGER PRIMARY KEY,
  trace_id  INTEGER NOT NULL REFERENCES trace (id),
  thread    INTEGER NOT NULL,
  number    INTEGER NOT NULL,  -- within the thread, from 0
  first_row INTEGER NOT NULL,
  last_row  INTEGER NOT NULL,
  begin_ns  INTEGER NOT NULL,
  end_ns    INTEGER NOT NULL,
  count     INTEGER NOT NULL,
  segments  BLOB    NOT NULL,  -- zstd: what stands for a chunk's slices of one row
  nodes     BLOB,              -- zstd: what stands for 16 to 32 nodes of a chunk
  UNIQUE (trace_id, thread, number)
) STRICT;
