-- What was found of an alert in columns and rows, which can be asked for, instead of the answer to a request as a text.
-- Texts that older programs left are taken apart; the next ingest puts what it finds in their place.
DROP VIEW alert_facts;

ALTER TABLE alert ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE alert ADD COLUMN scope TEXT NOT NULL DEFAULT '';  -- how far its cause reaches, in the words of who found it
ALTER TABLE alert ADD COLUMN suite TEXT;  -- what it is about, as far as the scope names it
ALTER TABLE alert ADD COLUMN model TEXT;
ALTER TABLE alert ADD COLUMN backend TEXT;
ALTER TABLE alert ADD COLUMN direction TEXT NOT NULL DEFAULT 'change';  -- change_direction_name()
ALTER TABLE alert ADD COLUMN onset_run INTEGER;  -- this and the next five: ids of runs, which may be gone
ALTER TABLE alert ADD COLUMN last_good_run INTEGER;
ALTER TABLE alert ADD COLUMN first_bad_run INTEGER;
ALTER TABLE alert ADD COLUMN first_seen_run INTEGER;
ALTER TABLE alert ADD COLUMN confirmed_run INTEGER;
ALTER TABLE alert ADD COLUMN closed_run INTEGER;
ALTER TABLE alert ADD COLUMN rerun TEXT NOT NULL DEFAULT '';
ALTER TABLE alert ADD COLUMN content BLOB NOT NULL DEFAULT x'';  -- content_hash() of all that was found; empty: not known
-- What people made of it: the last of alert_action.
ALTER TABLE alert ADD COLUMN triage TEXT NOT NULL DEFAULT 'open';  -- triage_state_name()
ALTER TABLE alert ADD COLUMN triaged_at REAL;
ALTER TABLE alert ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE alert ADD COLUMN link TEXT NOT NULL DEFAULT '';
-- What is over is over whatever people say.
ALTER TABLE alert ADD COLUMN state TEXT NOT NULL GENERATED ALWAYS AS (
  CASE WHEN triage = 'open' OR detected IN ('recovered', 'withdrawn') THEN detected ELSE triage END) VIRTUAL;
ALTER TABLE alert ADD COLUMN urgency INTEGER NOT NULL GENERATED ALWAYS AS (
  CASE WHEN detected IN ('recovered', 'withdrawn') OR triage IN ('fixed', 'wont_fix', 'invalid', 'infrastructure') THEN 5
       WHEN triage <> 'open' THEN 2
       WHEN direction = 'improvement' THEN 3
       WHEN direction <> 'regression' THEN 4
       WHEN detected = 'suspect' THEN 1
       ELSE 0 END) VIRTUAL;  -- as the values of Urgency

CREATE TABLE alert_label (
  alert_id INTEGER NOT NULL REFERENCES alert (id),
  key      TEXT    NOT NULL,
  before   TEXT    NOT NULL,  -- in the last good run; '': there was none
  after    TEXT    NOT NULL,  -- in the first bad run
  PRIMARY KEY (alert_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE alert_member (
  alert_id      INTEGER NOT NULL REFERENCES alert (id),
  place         INTEGER NOT NULL,  -- from 0
  experiment_id INTEGER NOT NULL,  -- which may be gone
  suite         TEXT    NOT NULL,
  model         TEXT    NOT NULL,
  test          TEXT    NOT NULL,
  backend       TEXT    NOT NULL,
  configuration TEXT    NOT NULL,  -- the backend and what tells its configurations apart
  metric        TEXT    NOT NULL,  -- in the words of who found it
  detected      TEXT    NOT NULL,  -- detected_state_name()
  direction     TEXT    NOT NULL,  -- change_direction_name()
  onset_run     INTEGER,
  earliest_run  INTEGER,
  latest_run    INTEGER,
  before        REAL,  -- of what is timed, up to sigma
  after         REAL,
  effect        REAL,
  low           REAL,
  high          REAL,
  confidence    REAL,
  p_value       REAL,
  q_value       REAL,
  nights_before INTEGER,
  nights_after  INTEGER,
  noise         TEXT,
  sigma         REAL,
  before_text   TEXT,  -- of counts and verdicts, up to flips_of
  after_text    TEXT,
  flips         INTEGER,
  flips_of      INTEGER,
  is_doing_of_baseline INTEGER,
  PRIMARY KEY (alert_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE alert_run (
  id                INTEGER PRIMARY KEY,
  name              TEXT NOT NULL,
  accelerator_model TEXT NOT NULL,
  started_at        REAL NOT NULL
) STRICT;

UPDATE alert SET
  triage = coalesce((SELECT value FROM alert_action WHERE alert_id = alert.id AND kind = 'state' ORDER BY id DESC LIMIT 1), 'open'),
  triaged_at = (SELECT at FROM alert_action WHERE alert_id = alert.id AND kind = 'state' ORDER BY id DESC LIMIT 1),
  owner = coalesce((SELECT value FROM alert_action WHERE alert_id = alert.id AND kind = 'owner' ORDER BY id DESC LIMIT 1), ''),
  link = coalesce((SELECT value FROM alert_action WHERE alert_id = alert.id AND kind = 'link' ORDER BY id DESC LIMIT 1), '');

UPDATE alert SET details = '{}' WHERE CASE WHEN json_valid(details) THEN json_type(details) <> 'object' ELSE 1 END;

UPDATE alert SET
  title = iif(json_type(details, '$.title') = 'text', details ->> '$.title', ''),
  scope = iif(json_type(details, '$.scope') = 'text', details ->> '$.scope', ''),
  suite = iif(json_type(details, '$.subject.suite') = 'text', details ->> '$.subject.suite', NULL),
  model = iif(json_type(details, '$.subject.model') = 'text', details ->> '$.subject.model', NULL),
  backend = iif(json_type(details, '$.subject.backend') = 'text', details ->> '$.subject.backend', NULL),
  direction = iif(details ->> '$.direction' IN ('regression', 'improvement'), details ->> '$.direction', 'change'),
  onset_run = CAST(details ->> '$.onset.id' AS INTEGER),
  last_good_run = CAST(details ->> '$.last_good.id' AS INTEGER),
  first_bad_run = CAST(details ->> '$.first_bad.id' AS INTEGER),
  first_seen_run = CAST(details ->> '$.first_seen.id' AS INTEGER),
  confirmed_run = CAST(details ->> '$.confirmed.id' AS INTEGER),
  closed_run = CAST(details ->> '$.closed.id' AS INTEGER),
  rerun = iif(json_type(details, '$.rerun') = 'text', details ->> '$.rerun', '');

INSERT OR IGNORE INTO alert_label (alert_id, key, before, after)
SELECT a.id, l.value ->> '$.key', l.value ->> '$.before', l.value ->> '$.after'
FROM alert AS a, json_each(a.details, '$.labels') AS l
WHERE l.type = 'object';

INSERT OR IGNORE INTO alert_member
SELECT a.id, m.key, CAST(m.value ->> '$.experiment.id' AS INTEGER), m.value ->> '$.experiment.suite',
       m.value ->> '$.experiment.model', m.value ->> '$.experiment.test', m.value ->> '$.experiment.backend',
       coalesce(m.value ->> '$.experiment.column', m.value ->> '$.experiment.backend'), m.value ->> '$.metric',
       m.value ->> '$.state', m.value ->> '$.direction', CAST(m.value ->> '$.onset.id' AS INTEGER),
       CAST(m.value ->> '$.earliest.id' AS INTEGER), CAST(m.value ->> '$.latest.id' AS INTEGER),
       CAST(m.value ->> '$.before' AS REAL), CAST(m.value ->> '$.after' AS REAL), CAST(m.value ->> '$.effect' AS REAL),
       CAST(m.value ->> '$.interval.low' AS REAL), CAST(m.value ->> '$.interval.high' AS REAL),
       CAST(m.value ->> '$.interval.confidence' AS REAL), CAST(m.value ->> '$.p_value' AS REAL),
       CAST(m.value ->> '$.q_value' AS REAL), CAST(m.value ->> '$.nights_before' AS INTEGER),
       CAST(m.value ->> '$.nights_after' AS INTEGER), m.value ->> '$.noise.class', CAST(m.value ->> '$.noise.sigma' AS REAL),
       m.value ->> '$.before_text', m.value ->> '$.after_text', CAST(m.value ->> '$.flakiness.flips' AS INTEGER),
       CAST(m.value ->> '$.flakiness.of' AS INTEGER), CAST(m.value ->> '$.is_doing_of_baseline' AS INTEGER)
FROM alert AS a, json_each(a.details, '$.members') AS m
WHERE m.type = 'object';

-- Runs that are gone are known from nothing else.
INSERT OR IGNORE INTO alert_run (id, name, accelerator_model, started_at)
SELECT r.id, r.name, r.accelerator_model, r.started_at
FROM run AS r
WHERE r.id IN (SELECT onset_run FROM alert UNION SELECT last_good_run FROM alert UNION SELECT first_bad_run FROM alert
               UNION SELECT first_seen_run FROM alert UNION SELECT confirmed_run FROM alert UNION SELECT closed_run FROM alert
               UNION SELECT onset_run FROM alert_member UNION SELECT earliest_run FROM alert_member
               UNION SELECT latest_run FROM alert_member);
INSERT OR IGNORE INTO alert_run (id, name, accelerator_model, started_at)
SELECT CAST(named.run ->> '$.id' AS INTEGER), named.run ->> '$.name', named.run ->> '$.accelerator_model',
       round((julianday(named.run ->> '$.started_at') - 2440587.5) * 86400, 3)
FROM (SELECT details -> '$.onset' AS run FROM alert UNION SELECT details -> '$.last_good' FROM alert
      UNION SELECT details -> '$.first_bad' FROM alert UNION SELECT details -> '$.first_seen' FROM alert
      UNION SELECT details -> '$.confirmed' FROM alert UNION SELECT details -> '$.closed' FROM alert
      UNION SELECT m.value -> '$.onset' FROM alert, json_each(details, '$.members') AS m WHERE m.type = 'object'
      UNION SELECT m.value -> '$.earliest' FROM alert, json_each(details, '$.members') AS m WHERE m.type = 'object'
      UNION SELECT m.value -> '$.latest' FROM alert, json_each(details, '$.members') AS m WHERE m.type = 'object') AS named
WHERE json_type(named.run, '$.id') = 'integer' AND NOT EXISTS (SELECT 1 FROM run WHERE id = CAST(named.run ->> '$.id' AS INTEGER));

ALTER TABLE alert DROP COLUMN details;

CREATE INDEX alert_by_state ON alert (state, urgency, onset);
CREATE INDEX alert_by_onset ON alert (onset);
CREATE INDEX alert_member_by_model ON alert_member (model, suite, backend);
CREATE INDEX alert_member_by_experiment ON alert_member (experiment_id, metric);
