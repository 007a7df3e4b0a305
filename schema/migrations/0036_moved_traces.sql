-- Traces that are kept outside the store, each in an object of its own, a pack, in the place that the setting
-- `trace_place` names. Of such a trace the store has its row in `trace`, its HLO, its notes and its dumps; the other
-- tables whose names begin with trace_ have nothing of it.
CREATE TABLE trace_pack (
  trace_id   INTEGER PRIMARY KEY REFERENCES trace (id),
  key        TEXT    NOT NULL UNIQUE,  -- of the object in the place
  hash       BLOB    NOT NULL,         -- XXH3-128 of its bytes
  byte_count INTEGER NOT NULL,
  origin     INTEGER NOT NULL,         -- ns: from when its times are counted
  index_version INTEGER,               -- of its index, as in trace_index; null: it has none, or one that is to be made again
  lacks_findings INTEGER NOT NULL      -- whether more was found in it than is kept, as an older program did
) STRICT;

-- Packs in the place that no trace is in: any more, or as far as the store knows.
CREATE TABLE orphan_pack (
  key        TEXT PRIMARY KEY,
  noted_at   REAL NOT NULL,  -- seconds since 1970; one that was put after that has come from elsewhere
  keep_until REAL NOT NULL,  -- it is not removed before
  given_up_at REAL           -- when it was decided to remove it: no trace is put into it any more; null: it is kept for now
) STRICT, WITHOUT ROWID;
