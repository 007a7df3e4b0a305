-- What is worth telling people who do not look: an alert that is sure, and one that is over. Each
-- once, whoever finds alerts anew.
CREATE TABLE notification (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  alert_id INTEGER NOT NULL REFERENCES alert (id),
  event    TEXT    NOT NULL,  -- notification_event_name()
  made_at  REAL    NOT NULL,
  UNIQUE (alert_id, event)
) STRICT;

-- Where a notification was sent, or tried to be.
CREATE TABLE delivery (
  notification_id INTEGER NOT NULL REFERENCES notification (id),
  target          TEXT    NOT NULL,
  attempts        INTEGER NOT NULL,
  last_at         REAL    NOT NULL,
  last_error      TEXT    NOT NULL,  -- '' for none
  delivered_at    REAL,
  PRIMARY KEY (notification_id, target)
) STRICT, WITHOUT ROWID;
