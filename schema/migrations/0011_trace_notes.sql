-- What people noted of a part of a trace. By content, so that they outlive a trace that is deleted and taken in again.
CREATE TABLE trace_note (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  content_hash BLOB    NOT NULL,  -- as the trace's
  begin_ns     INTEGER NOT NULL,  -- on the trace's own clock
  end_ns       INTEGER NOT NULL,
  thread       INTEGER,           -- null: all of them
  words        TEXT    NOT NULL,
  who          TEXT    NOT NULL,  -- '' where they did not say
  at           REAL    NOT NULL   -- seconds since 1970
) STRICT;
CREATE INDEX trace_note_by_content ON trace_note (content_hash);
