-- What happened to an alert from night to night. It is worked out from the results together with the alert.
CREATE TABLE alert_history (
  alert_id INTEGER PRIMARY KEY,
  events   TEXT NOT NULL  -- as history_text() writes it, oldest first
) STRICT;

-- Alerts that people acted on and that are not found any more.
ALTER TABLE alert ADD COLUMN lost_as TEXT NOT NULL DEFAULT '';          -- `detected` when it was last found, where people had acted on it
ALTER TABLE alert ADD COLUMN is_orphaned INTEGER NOT NULL DEFAULT 0;    -- nothing that people did explains that it is gone
ALTER TABLE alert ADD COLUMN successor INTEGER;                         -- the alert that tells of most of its series now
CREATE INDEX alert_orphaned ON alert (id) WHERE is_orphaned;
