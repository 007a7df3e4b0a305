-- What the number of an alert was judged by, night by night: what its chart draws. It can be made again from the results.
CREATE TABLE alert_chart (
  alert_id   INTEGER PRIMARY KEY,
  metric     TEXT NOT NULL,
  experiment INTEGER,        -- null: many series
  nights     TEXT NOT NULL  -- a JSON list of [run id, value, low or null, high or null, how many], oldest first
) STRICT;

-- All alerts are found again once, so that each has its chart.
DELETE FROM setting WHERE key = 'alerts_state';
