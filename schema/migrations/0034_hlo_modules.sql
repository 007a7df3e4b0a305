-- Modules of HLO that XPlane profiles hold, each content once: their texts have no id that a process
-- gave, so that a model compiled again the same on another night has the same.
CREATE TABLE hlo_module (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  name    TEXT    NOT NULL,  -- '' where it has none
  text_id INTEGER NOT NULL UNIQUE REFERENCES text (id)
) STRICT;

-- Which of them a profile holds. A trace of another kind has none.
CREATE TABLE trace_hlo (
  trace_id   INTEGER PRIMARY KEY REFERENCES trace (id),
  llo_bytes  INTEGER NOT NULL,  -- of dumps of LLO, which are not kept
  modules    BLOB    NOT NULL,  -- of each hlo_module.id and program id, varint and zigzag varint
  unreadable INTEGER NOT NULL,  -- modules that could not be decoded
  left_out   INTEGER NOT NULL   -- modules beyond the limits
) STRICT;

-- Profiles that are traces already have modules that were not read: a file that is still there is
-- read again.
DELETE FROM artifact_file
WHERE artifact_id IN (SELECT id FROM artifact
                      WHERE kind = 'trace' AND pruned_at IS NULL
                        AND (path LIKE '%.xplane.pb' OR path LIKE '%.xplane.pb.gz'
                             OR path LIKE '%.xplane.pb.zst'));
