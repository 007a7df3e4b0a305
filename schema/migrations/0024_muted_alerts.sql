-- Until when people do not want to hear of an alert. Whether a date has come depends on the day, which a generated column
-- cannot know: queries compare the column with a day that they are given.
ALTER TABLE alert ADD COLUMN muted_until TEXT NOT NULL DEFAULT '';  -- a day, '2026-12-24', or mute_end_name(); '': not muted
ALTER TABLE alert ADD COLUMN muted_beyond REAL;  -- muted until it is worse: the end of its interval that was farther from 0

-- Muted ones come before closed ones: their number is 5 now.
DROP INDEX alert_by_state;
ALTER TABLE alert DROP COLUMN urgency;
ALTER TABLE alert ADD COLUMN urgency INTEGER NOT NULL GENERATED ALWAYS AS (
  CASE WHEN detected IN ('recovered', 'withdrawn') OR triage IN ('fixed', 'wont_fix', 'invalid', 'infrastructure') THEN 6
       WHEN triage <> 'open' THEN 2
       WHEN direction = 'improvement' THEN 3
       WHEN direction <> 'regression' THEN 4
       WHEN detected = 'suspect' THEN 1
       ELSE 0 END) VIRTUAL;  -- as the values of Urgency, without kMuted
CREATE INDEX alert_by_state ON alert (state, urgency, onset);
CREATE INDEX alert_by_mute ON alert (muted_until);
