-- Why an alert is of what it is of, and why it has its state: at most three sentences.
ALTER TABLE alert ADD COLUMN explanation TEXT NOT NULL DEFAULT '';

-- All alerts are found again once, so that each has its explanation.
DELETE FROM setting WHERE key = 'alerts_state';
