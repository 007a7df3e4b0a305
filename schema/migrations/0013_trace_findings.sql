-- Derived of a trace: places where something was found, such as graph breaks, and how many of each kind there are in all.
CREATE TABLE trace_finding (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  number   INTEGER NOT NULL,  -- by time, from 0
  kind     TEXT    NOT NULL,
  thread   INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns   INTEGER NOT NULL,
  words    TEXT    NOT NULL,
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_finding_kind (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  kind     TEXT    NOT NULL,
  count    INTEGER NOT NULL,  -- of all, kept or not
  PRIMARY KEY (trace_id, kind)
) STRICT, WITHOUT ROWID;
