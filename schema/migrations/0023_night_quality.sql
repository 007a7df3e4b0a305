-- How much of each night can be trusted, as who finds alerts judges it. It can be made anew from the results.
CREATE TABLE night_quality (
  run_id       INTEGER PRIMARY KEY,
  judged       INTEGER NOT NULL,  -- series
  off          INTEGER NOT NULL,  -- of these, far off their level
  is_disturbed INTEGER NOT NULL,
  scatter      REAL,              -- of repetitions, as a multiple of what is usual; null: not known
  alike        TEXT    NOT NULL   -- runs that were in the same recurring state: a JSON list of ids
) STRICT;

-- All nights are watched again once, so that it is known of each.
DELETE FROM setting WHERE key = 'alerts_state';
