-- Beside the name that the writer of a note gives stands the token that was shown, by its name. Null:
-- none was, or it was before this was kept.
ALTER TABLE alert_action ADD COLUMN token TEXT;
ALTER TABLE night_mark ADD COLUMN token TEXT;
ALTER TABLE trace_note ADD COLUMN token TEXT;
