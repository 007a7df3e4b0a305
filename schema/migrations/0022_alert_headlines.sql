-- The one number of an alert that its title tells, and by what alerts that are as urgent are ordered. Alerts that older
-- programs found get them with the next ingest.
ALTER TABLE alert ADD COLUMN headline_metric TEXT;
ALTER TABLE alert ADD COLUMN headline_effect REAL;
ALTER TABLE alert ADD COLUMN headline_low REAL;
ALTER TABLE alert ADD COLUMN headline_high REAL;
ALTER TABLE alert ADD COLUMN headline_before TEXT;
ALTER TABLE alert ADD COLUMN headline_after TEXT;
ALTER TABLE alert ADD COLUMN headline_experiment INTEGER;
ALTER TABLE alert ADD COLUMN weight REAL NOT NULL DEFAULT 0;
