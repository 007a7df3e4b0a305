-- Alerts: changes with one cause on one accelerator model. Analysis finds them in what is derived
-- and keeps them up to date; but they have numbers that people use, so no rebuild drops them.
CREATE TABLE alert (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  accelerator_model TEXT    NOT NULL,
  key               TEXT    NOT NULL,  -- by which analysis knows it, as first seen; not unique
  onset             REAL    NOT NULL,  -- start of the first run of the new level
  detected          TEXT    NOT NULL,  -- detected_state_name()
  first_seen        REAL    NOT NULL,  -- start of the run on which it was first seen
  confirmed_at      REAL,              -- start of the run on which it was confirmed
  details           TEXT    NOT NULL   -- JSON
) STRICT;
CREATE INDEX alert_by_model ON alert (accelerator_model);

-- What people did with an alert. Rows are only ever added; of each kind but notes the last counts.
CREATE TABLE alert_action (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  alert_id INTEGER NOT NULL REFERENCES alert (id),
  at       REAL    NOT NULL,
  who      TEXT    NOT NULL,
  kind     TEXT    NOT NULL,  -- alert_action_kind_name()
  value    TEXT    NOT NULL   -- state: triage_state_name(); owner, link: '' takes it away
) STRICT;
CREATE INDEX alert_action_by_alert ON alert_action (alert_id, kind, id);

-- Nights of which people said that they are not like others. By the run's name, as run_label, but
-- they outlive the run: they hold again when it is back.
CREATE TABLE night_mark (
  accelerator_model TEXT NOT NULL,
  name              TEXT NOT NULL,
  kind              TEXT NOT NULL,  -- night_mark_kind_name()
  reason            TEXT NOT NULL,
  who               TEXT NOT NULL,
  at                REAL NOT NULL,
  PRIMARY KEY (accelerator_model, name, kind)
) STRICT, WITHOUT ROWID;

-- An alert with what people made of it.
CREATE VIEW alert_facts AS
SELECT a.id, a.accelerator_model, a.key, a.onset, a.detected, a.first_seen, a.confirmed_at,
       a.details, s.value AS triage, s.at AS triaged_at, o.value AS owner, l.value AS link
FROM alert AS a
LEFT JOIN alert_action AS s
  ON s.id = (SELECT max(id) FROM alert_action WHERE alert_id = a.id AND kind = 'state')
LEFT JOIN alert_action AS o
  ON o.id = (SELECT max(id) FROM alert_action WHERE alert_id = a.id AND kind = 'owner')
LEFT JOIN alert_action AS l
  ON l.id = (SELECT max(id) FROM alert_action WHERE alert_id = a.id AND kind = 'link');
