-- Logs of TORCH_TRACE: what torch.compile compiled, by the dump that the log is.
CREATE TABLE torch_trace (
  artifact_id      INTEGER PRIMARY KEY REFERENCES artifact (id),
  rank             INTEGER,           -- null: the log names none
  record_count     INTEGER NOT NULL,
  sound_payloads   INTEGER NOT NULL,  -- whose MD5 is the one that their record names
  damaged_payloads INTEGER NOT NULL,
  unreadable_lines INTEGER NOT NULL,
  omitted          INTEGER NOT NULL,  -- compilations and outputs beyond what is kept of one log
  kinds            TEXT    NOT NULL   -- JSON: [{"name", "count"}], records by kind
) STRICT;

CREATE TABLE torch_trace_problem (
  artifact_id INTEGER NOT NULL REFERENCES torch_trace (artifact_id),
  ordinal     INTEGER NOT NULL,  -- from 0
  line        INTEGER NOT NULL,  -- of the log, from 1
  reason      TEXT    NOT NULL,
  PRIMARY KEY (artifact_id, ordinal)
) STRICT, WITHOUT ROWID;

-- One row per occurrence of a compile id in a log. What the log does not say is null.
CREATE TABLE compilation (
  artifact_id       INTEGER NOT NULL REFERENCES torch_trace (artifact_id),
  ordinal           INTEGER NOT NULL,  -- from 0, in the log's order
  compile_id        TEXT    NOT NULL,  -- [!A/]F/C: compiled autograd, frame, recompilation of it
  occurrence        INTEGER NOT NULL,  -- of that id in the log, from 1
  attempt           INTEGER NOT NULL,  -- the last one, from 0: how often it was restarted
  line              INTEGER NOT NULL,  -- of its first record, from 1
  logged_at         TEXT    NOT NULL,  -- of that record: month, day and time, local
  frame_name        TEXT,
  frame_file        TEXT,
  frame_line        INTEGER,
  stack_id          INTEGER REFERENCES text (id),  -- JSON: [{"file", "line", "name", "code"}], outermost first
  seconds           REAL,              -- of all attempts, without the backward graph
  restart_seconds   REAL,              -- of them, of attempts that gave no code: those before the last one, or the one that failed
  guard_count       INTEGER,
  shape_guard_count INTEGER,
  op_count          INTEGER,
  node_count        INTEGER,
  input_count       INTEGER,
  cache_size        INTEGER,           -- compiled versions of the frame that were there before
  fail_type         TEXT,
  fail_reason       TEXT,
  fail_file         TEXT,
  fail_line         INTEGER,
  phases            TEXT    NOT NULL,  -- JSON: [{"name", "source", "backward", "seconds", "count"}]
  restarts          TEXT    NOT NULL,  -- JSON: [reason]
  graph_breaks      TEXT    NOT NULL,  -- JSON: [reason]
  recompiles        TEXT    NOT NULL,  -- JSON: [reason]
  caches            TEXT    NOT NULL,  -- JSON: [{"cache", "outcome", "reason"}]
  PRIMARY KEY (artifact_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Graphs, generated code, guards and what else records carry.
CREATE TABLE compilation_output (
  artifact_id INTEGER NOT NULL REFERENCES torch_trace (artifact_id),
  ordinal     INTEGER NOT NULL,  -- from 0, in the log's order
  compilation INTEGER,           -- compilation.ordinal; null: of no compile id
  attempt     INTEGER NOT NULL,
  line        INTEGER NOT NULL,  -- of its record, from 1
  kind        TEXT    NOT NULL,  -- the record's
  name        TEXT    NOT NULL,  -- an artifact's name, a file's name; '' where it has none
  encoding    TEXT    NOT NULL,  -- an artifact's; '' where none is named
  byte_count  INTEGER NOT NULL,
  text_id     INTEGER REFERENCES text (id),  -- null: too long to be kept
  PRIMARY KEY (artifact_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX compilation_output_by_compilation ON compilation_output (artifact_id, compilation, ordinal);
