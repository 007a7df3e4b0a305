-- The schema as all migrations together make it: the one to read. A test compares the two.
--
-- Facts first: what the files said and where; below them what is derived from the facts and
-- can be dropped and made again (`benchhud rebuild`). docs/data-model.md tells it in prose.
--
-- Ids that pages and caches keep (run, experiment, text) are never given twice, hence AUTOINCREMENT.
-- Times are seconds since 1970, UTC, as doubles: the runner writes them so, and they are identities.

-- What the store knows of itself: revision (counts committed changes), run_grouping, day_start,
-- alerts_state (what alerts were last computed from).
CREATE TABLE setting (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Texts by content: errors, nested metrics, rejected bytes. The same text is kept once.
CREATE TABLE text (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  hash       BLOB    NOT NULL UNIQUE,  -- XXH3-128 of the bytes
  byte_count INTEGER NOT NULL,         -- before compression
  zstd       INTEGER NOT NULL,         -- 1: bytes is a zstd frame
  bytes      BLOB    NOT NULL
) STRICT;

-- One taking-in of a file that brought something new.
CREATE TABLE ingested_file (
  id                 INTEGER PRIMARY KEY,
  path               TEXT    NOT NULL,
  content_hash       BLOB    NOT NULL,  -- XXH3-128 of the decompressed bytes
  byte_count         INTEGER NOT NULL,
  line_count         INTEGER NOT NULL,
  accepted           INTEGER NOT NULL,  -- lines that were new
  duplicate          INTEGER NOT NULL,  -- lines that were in the store already
  rejected           INTEGER NOT NULL,
  ingested_at        REAL    NOT NULL,
  lacks_timestamps   INTEGER NOT NULL,  -- 1: some line bears no timestamp
  fallback_timestamp REAL,              -- what such lines were given; null: nothing, they were rejected
  complete           INTEGER NOT NULL   -- 0 once any line may have been deleted: read it again
) STRICT;
CREATE INDEX ingested_file_by_content ON ingested_file (content_hash);
CREATE INDEX ingested_file_by_size ON ingested_file (byte_count);

-- Lines that could not be taken in.
CREATE TABLE rejected_line (
  id          INTEGER PRIMARY KEY,
  file_id     INTEGER NOT NULL REFERENCES ingested_file (id),
  path        TEXT    NOT NULL,
  line_number INTEGER NOT NULL,  -- from 1
  byte_offset INTEGER NOT NULL,  -- of the line's first byte, from 0, in the decompressed file
  byte_count  INTEGER NOT NULL,
  hash        BLOB    NOT NULL,
  retriable   INTEGER NOT NULL,  -- 1: it may be taken in when the path is read again: the file ended
                                 -- inside it, or it had no timestamp
  reason      TEXT    NOT NULL,
  text_id     INTEGER NOT NULL REFERENCES text (id),  -- its bytes, up to 1 MiB
  pruned_at   REAL               -- null: it was not; else its bytes are gone, and nobody is told of it
) STRICT;
CREATE UNIQUE INDEX rejected_line_identity ON rejected_line (path, byte_offset, hash);
CREATE INDEX rejected_line_by_file ON rejected_line (file_id, line_number);

-- What is measured: everything but time.
CREATE TABLE experiment (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  hash              BLOB    NOT NULL UNIQUE,  -- XXH3-128 of Experiment::identity()
  family            BLOB    NOT NULL,         -- XXH3-128 of Experiment::family(): without batch size
  suite             TEXT    NOT NULL,
  model             TEXT    NOT NULL,
  test              TEXT    NOT NULL,
  backend           TEXT    NOT NULL,         -- Experiment::backend()
  accelerator       TEXT    NOT NULL,
  accelerator_model TEXT    NOT NULL,
  batch_size        INTEGER,
  xla               TEXT,
  xla_flags         TEXT,
  dynamo            TEXT,
  torch_xla2        TEXT,
  flags             TEXT    NOT NULL,         -- JSON of the other keys
  timed             INTEGER NOT NULL          -- 1: some line of it has timings
) STRICT;
CREATE INDEX experiment_by_family ON experiment (family);
CREATE INDEX experiment_by_model ON experiment (suite, model, test, backend);

-- One night's invocations on one accelerator model.
CREATE TABLE run (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  accelerator_model TEXT    NOT NULL,
  name              TEXT    NOT NULL,
  started_at        REAL    NOT NULL,
  verified_at       REAL,
  result_count      INTEGER NOT NULL,
  revision          INTEGER NOT NULL,
  UNIQUE (accelerator_model, name)
) STRICT;
CREATE INDEX run_by_time ON run (started_at, id);

-- Labels that a command gave to a run. They win over those of its invocations.
CREATE TABLE run_label (
  accelerator_model TEXT NOT NULL,
  name              TEXT NOT NULL,
  key               TEXT NOT NULL,
  value             TEXT NOT NULL,
  PRIMARY KEY (accelerator_model, name, key)
) STRICT, WITHOUT ROWID;

-- The lines of one file with one timestamp on one accelerator model.
CREATE TABLE invocation (
  id                INTEGER PRIMARY KEY,
  accelerator_model TEXT    NOT NULL,
  timestamp         REAL    NOT NULL,
  run_name          TEXT,              -- given by --run or a command; null: the rules decide
  has_timing        INTEGER NOT NULL,  -- some line has total_time
  has_verdict       INTEGER NOT NULL,  -- some line has a code that only a verification gives
  run_id            INTEGER REFERENCES run (id)  -- derived
) STRICT;
CREATE INDEX invocation_by_time ON invocation (accelerator_model, timestamp);
CREATE INDEX invocation_by_run ON invocation (run_id);

CREATE TABLE invocation_label (
  invocation_id INTEGER NOT NULL REFERENCES invocation (id),
  key           TEXT    NOT NULL,
  value         TEXT    NOT NULL,
  PRIMARY KEY (invocation_id, key)
) STRICT, WITHOUT ROWID;

-- Invocations whose lines were pruned, and are not taken in again.
CREATE TABLE pruned_invocation (
  accelerator_model TEXT NOT NULL,
  timestamp         REAL NOT NULL,
  pruned_at         REAL NOT NULL,
  PRIMARY KEY (accelerator_model, timestamp)
) STRICT, WITHOUT ROWID;

-- Accepted lines, numbered in the order they came.
CREATE TABLE line (
  id                 INTEGER PRIMARY KEY,
  invocation_id      INTEGER NOT NULL REFERENCES invocation (id),
  experiment_id      INTEGER NOT NULL REFERENCES experiment (id),
  hash               BLOB    NOT NULL,
  file_id            INTEGER NOT NULL REFERENCES ingested_file (id),
  line_number        INTEGER NOT NULL,
  byte_offset        INTEGER NOT NULL,
  timed              INTEGER NOT NULL,  -- 1: total_time has a number
  repeat             INTEGER,
  iterations_per_run INTEGER,
  code               TEXT,
  mean_rel_error     REAL,
  error_id           INTEGER REFERENCES text (id),
  extra              TEXT,              -- JSON of keys that have no place
  per_iter_time      BLOB,              -- samples of the metrics that every estimate is made of,
  total_time         BLOB,              -- as in measurement, which has none of these arrays
  xla_compile_time   BLOB               -- xla_CompileTime_time_s
) STRICT;
CREATE UNIQUE INDEX line_identity ON line (invocation_id, experiment_id, hash);

CREATE TABLE metric (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- Every sample of every other metric, in the file's order, beside its summary over the finite ones;
-- and the line's own metrics where they are no arrays.
CREATE TABLE measurement (
  line_id   INTEGER NOT NULL REFERENCES line (id),
  metric_id INTEGER NOT NULL REFERENCES metric (id),
  shape     INTEGER NOT NULL,  -- SampleShape: 0 array, 1 scalar, 2 null, 3 nested
  n         INTEGER NOT NULL,  -- finite samples
  median    REAL,
  mean      REAL,
  min       REAL,
  max       REAL,
  samples   BLOB,              -- little-endian doubles; null is the NaN 0x7FF800006E756C6C
  text_id   INTEGER REFERENCES text (id),  -- nested: its JSON
  PRIMARY KEY (line_id, metric_id)
) STRICT, WITHOUT ROWID;

-- Traces, each content once; docs/data-model.md says how their events are laid out. All times are
-- whole nanoseconds on the trace's own clock.
CREATE TABLE trace (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  content_hash  BLOB    NOT NULL UNIQUE,  -- XXH3-128 of the decompressed file; random while it is in arriving_trace
  byte_count    INTEGER NOT NULL,         -- of the decompressed file
  base_ns       INTEGER NOT NULL,  -- the wall clock's, since 1970, at time 0; 0: not known
  slice_count   INTEGER NOT NULL,
  point_count   INTEGER NOT NULL,
  flow_count    INTEGER NOT NULL,  -- ends of arrows
  label_count   INTEGER NOT NULL,
  text_count    INTEGER NOT NULL,
  events        INTEGER NOT NULL,  -- objects of the file's event list, and what became of them
  broken        INTEGER NOT NULL,
  fillers       INTEGER NOT NULL,
  refused       INTEGER NOT NULL,
  pairs         INTEGER NOT NULL,
  flow_events   INTEGER NOT NULL,
  unclosed      INTEGER NOT NULL,
  unmatched     INTEGER NOT NULL,
  problem_count INTEGER NOT NULL,
  device_count  INTEGER,           -- derived: rows of trace_device; null: not known which are devices, or not derived yet
  cuda_driver   INTEGER NOT NULL DEFAULT 0,  -- the newest CUDA that the driver knows, as 12040 for 12.4; 0: not known
  -- By which rules its derived tracks were made; null: it has none; negative: by these rules there is no
  -- room for their labels.
  derived_version INTEGER
) STRICT;

-- What could not be taken as it is: the first of them.
CREATE TABLE trace_problem (
  trace_id    INTEGER NOT NULL REFERENCES trace (id),
  number      INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,  -- in the decompressed file
  reason      TEXT    NOT NULL,
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_thread (
  trace_id           INTEGER NOT NULL REFERENCES trace (id),
  thread             INTEGER NOT NULL,  -- numbered from 0
  pid                TEXT    NOT NULL,
  tid                TEXT    NOT NULL,
  process_name       TEXT    NOT NULL,
  name               TEXT    NOT NULL,
  process_labels     TEXT    NOT NULL,
  process_sort_index INTEGER,
  thread_sort_index  INTEGER,
  slice_count        INTEGER NOT NULL,
  row_count          INTEGER NOT NULL,
  begin_ns           INTEGER,           -- of its first slice; null: it has none
  end_ns             INTEGER,           -- of the slice that ends last
  stack_rows         BLOB    NOT NULL,  -- rows whose slices lie within no other
  is_async           INTEGER NOT NULL DEFAULT 0,  -- derived: of what is asynchronous, made of points
  is_derived         INTEGER NOT NULL DEFAULT 0,  -- repeats slices of others, of an XPlane profile: nothing sums it up
  PRIMARY KEY (trace_id, thread)
) STRICT, WITHOUT ROWID;

-- Texts, labels, arguments, points and flows: numbered things in blocks.
CREATE TABLE trace_block (
  id           INTEGER PRIMARY KEY,
  trace_id     INTEGER NOT NULL REFERENCES trace (id),
  kind         INTEGER NOT NULL,  -- TraceBlockKind
  first        INTEGER NOT NULL,  -- number of its first thing
  count        INTEGER NOT NULL,
  begin_ns     INTEGER,           -- points and flows: the earliest and the latest
  end_ns       INTEGER,
  first_thread INTEGER,           -- points: the least and the greatest
  last_thread  INTEGER,
  bytes        BLOB    NOT NULL,  -- a zstd frame
  UNIQUE (trace_id, kind, first)
) STRICT;

-- Slices of a thread by row and time, 4096 to 8191 together.
CREATE TABLE trace_chunk (
  id        INTEGER PRIMARY KEY,
  trace_id  INTEGER NOT NULL REFERENCES trace (id),
  thread    INTEGER NOT NULL,
  number    INTEGER NOT NULL,  -- within the thread, from 0
  first_row INTEGER NOT NULL,
  last_row  INTEGER NOT NULL,
  begin_ns  INTEGER NOT NULL,  -- the first beginning
  end_ns    INTEGER NOT NULL,  -- the last end
  count     INTEGER NOT NULL,
  nodes     BLOB,              -- zstd: what stands for 16 to 32 slices each; null: no row has more
  slices    BLOB    NOT NULL,  -- zstd: beginning, duration, label
  extras    BLOB    NOT NULL,  -- zstd: numbers of the arguments
  UNIQUE (trace_id, thread, number)
) STRICT;

-- The levels above, of up to 256 chunks of a thread.
CREATE TABLE trace_group (
  id        INTEGER PRIMARY KEY,
  trace_id  INTEGER NOT NULL REFERENCES trace (id),
  thread    INTEGER NOT NULL,
  number    INTEGER NOT NULL,  -- within the thread, from 0
  first_row INTEGER NOT NULL,
  last_row  INTEGER NOT NULL,
  begin_ns  INTEGER NOT NULL,
  end_ns    INTEGER NOT NULL,
  count     INTEGER NOT NULL,
  segments  BLOB    NOT NULL,  -- zstd: what stands for a chunk's slices of one row
  nodes     BLOB,              -- zstd: what stands for 16 to 32 nodes of a chunk
  UNIQUE (trace_id, thread, number)
) STRICT;

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

-- Who changed what by a command.
CREATE TABLE audit (
  id     INTEGER PRIMARY KEY,
  at     REAL NOT NULL,
  action TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

-- Who may do what over HTTP. A token itself is nowhere: its hash tells it again. Rows stay when a
-- token is withdrawn, for the audit names tokens by id.
CREATE TABLE access_token (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL,
  hash         BLOB NOT NULL,  -- SHA-256 of the secret, which is 256 random bits
  scopes       TEXT NOT NULL,  -- names, in their order, with spaces between them
  created_at   REAL NOT NULL,
  expires_at   REAL,           -- null: never
  withdrawn_at REAL            -- null: it was not
) STRICT;

-- Dumps: what the runner leaves beside its results, and which results they belong to.
CREATE TABLE artifact (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind          TEXT    NOT NULL,  -- artifact_kind_name()
  name          TEXT    NOT NULL,  -- its place in the output directory
  path          TEXT    NOT NULL,  -- where it was read first
  base          TEXT    NOT NULL,  -- the part of its name that tells the experiment; '' where it has none
  model         TEXT    NOT NULL,  -- the folder that it was found in
  repetition    INTEGER,
  part          TEXT    NOT NULL,  -- what tells several dumps of one base apart
  content_hash  BLOB    NOT NULL,  -- XXH3-128 of the decompressed bytes
  byte_count    INTEGER NOT NULL,  -- decompressed
  ingested_at   REAL    NOT NULL,
  problem_count INTEGER NOT NULL,
  error         TEXT,              -- why nothing could be made of it
  text_id       INTEGER REFERENCES text (id),   -- its text, whole; null: a trace, or one too long
  trace_id      INTEGER REFERENCES trace (id),
  report_id     INTEGER REFERENCES text (id),   -- derived: the digest of the trace (service/traces/trace_digest.cc)
  pruned_at     REAL               -- null: it was not; else its content is gone, and stays so
) STRICT;
CREATE INDEX artifact_by_content ON artifact (name, content_hash);
-- Each request for a trace asks whether a dump has it.
CREATE INDEX artifact_of_trace ON artifact (trace_id) WHERE trace_id IS NOT NULL;
-- What XLA's profiler left: what was timed meanwhile does not count.
CREATE INDEX artifact_of_xla_profiler ON artifact (id) WHERE name LIKE '%/xla-profile/%';

-- A dump may lie in several places: each of them is remembered, so that none is read again.
CREATE TABLE artifact_file (
  path        TEXT PRIMARY KEY,  -- absolute
  artifact_id INTEGER NOT NULL REFERENCES artifact (id),
  disk_size   INTEGER NOT NULL,  -- bytes; with its time: what has not changed is not read again
  modified_ns INTEGER NOT NULL   -- since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_file_by_artifact ON artifact_file (artifact_id);

-- Results are named by what makes them the same wherever they are ingested from and whatever run
-- they are put into: so a tie outlives the deletion of a run, and holds again when the run is back.
CREATE TABLE artifact_tie (
  artifact_id INTEGER NOT NULL REFERENCES artifact (id),
  experiment  BLOB    NOT NULL,  -- experiment.hash, as the line says it
  timestamp   REAL    NOT NULL,  -- the line's
  PRIMARY KEY (artifact_id, experiment, timestamp)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_tie_by_line ON artifact_tie (experiment, timestamp);

-- Logs of TORCH_TRACE: what torch.compile compiled, by the dump that the log is.
CREATE TABLE torch_trace (
  artifact_id      INTEGER PRIMARY KEY REFERENCES artifact (id),
  rank             INTEGER,           -- null: the log names none
  record_count     INTEGER NOT NULL,
  sound_payloads   INTEGER NOT NULL,  -- whose MD5 is the one that their record names
  damaged_payloads INTEGER NOT NULL,
  unreadable_lines INTEGER NOT NULL,
  omitted          INTEGER NOT NULL,  -- compilations and outputs beyond what is kept of one log
  kinds            TEXT    NOT NULL   -- JSON: [{"name", "count"}], records by kind
) STRICT;

CREATE TABLE torch_trace_problem (
  artifact_id INTEGER NOT NULL REFERENCES torch_trace (artifact_id),
  ordinal     INTEGER NOT NULL,  -- from 0
  line        INTEGER NOT NULL,  -- of the log, from 1
  reason      TEXT    NOT NULL,
  PRIMARY KEY (artifact_id, ordinal)
) STRICT, WITHOUT ROWID;

-- One row per occurrence of a compile id in a log. What the log does not say is null.
CREATE TABLE compilation (
  artifact_id       INTEGER NOT NULL REFERENCES torch_trace (artifact_id),
  ordinal           INTEGER NOT NULL,  -- from 0, in the log's order
  compile_id        TEXT    NOT NULL,  -- [!A/]F/C: compiled autograd, frame, recompilation of it
  occurrence        INTEGER NOT NULL,  -- of that id in the log, from 1
  attempt           INTEGER NOT NULL,  -- the last one, from 0: how often it was restarted
  line              INTEGER NOT NULL,  -- of its first record, from 1
  logged_at         TEXT    NOT NULL,  -- of that record: month, day and time, local
  frame_name        TEXT,
  frame_file        TEXT,
  frame_line        INTEGER,
  stack_id          INTEGER REFERENCES text (id),  -- JSON: [{"file", "line", "name", "code"}], outermost first
  seconds           REAL,              -- of all attempts, without the backward graph
  restart_seconds   REAL,              -- of them, of attempts that gave no code: those before the last one, or the one that failed
  guard_count       INTEGER,
  shape_guard_count INTEGER,
  op_count          INTEGER,
  node_count        INTEGER,
  input_count       INTEGER,
  cache_size        INTEGER,           -- compiled versions of the frame that were there before
  fail_type         TEXT,
  fail_reason       TEXT,
  fail_file         TEXT,
  fail_line         INTEGER,
  phases            TEXT    NOT NULL,  -- JSON: [{"name", "source", "backward", "seconds", "count"}]
  restarts          TEXT    NOT NULL,  -- JSON: [reason]
  graph_breaks      TEXT    NOT NULL,  -- JSON: [reason]
  recompiles        TEXT    NOT NULL,  -- JSON: [reason]
  caches            TEXT    NOT NULL,  -- JSON: [{"cache", "outcome", "reason"}]
  PRIMARY KEY (artifact_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Graphs, generated code, guards and what else records carry.
CREATE TABLE compilation_output (
  artifact_id INTEGER NOT NULL REFERENCES torch_trace (artifact_id),
  ordinal     INTEGER NOT NULL,  -- from 0, in the log's order
  compilation INTEGER,           -- compilation.ordinal; null: of no compile id
  attempt     INTEGER NOT NULL,
  line        INTEGER NOT NULL,  -- of its record, from 1
  kind        TEXT    NOT NULL,  -- the record's
  name        TEXT    NOT NULL,  -- an artifact's name, a file's name; '' where it has none
  encoding    TEXT    NOT NULL,  -- an artifact's; '' where none is named
  byte_count  INTEGER NOT NULL,
  text_id     INTEGER REFERENCES text (id),  -- null: too long to be kept
  PRIMARY KEY (artifact_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX compilation_output_by_compilation ON compilation_output (artifact_id, compilation, ordinal);

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
  title             TEXT    NOT NULL DEFAULT '',
  scope             TEXT    NOT NULL DEFAULT '',        -- how far its cause reaches, in the words of who found it
  suite             TEXT,                               -- what it is about, as far as the scope names it
  model             TEXT,
  backend           TEXT,
  direction         TEXT    NOT NULL DEFAULT 'change',  -- change_direction_name()
  onset_run         INTEGER,                            -- this and the next five: ids of runs, which may be gone
  last_good_run     INTEGER,
  first_bad_run     INTEGER,
  first_seen_run    INTEGER,
  confirmed_run     INTEGER,
  closed_run        INTEGER,
  rerun             TEXT    NOT NULL DEFAULT '',
  content           BLOB    NOT NULL DEFAULT x'',       -- content_hash() of all that was found; empty: not known
  -- What people made of it: the last of alert_action.
  triage            TEXT    NOT NULL DEFAULT 'open',    -- triage_state_name()
  triaged_at        REAL,
  owner             TEXT    NOT NULL DEFAULT '',
  link              TEXT    NOT NULL DEFAULT '',
  -- What is over is over whatever people say.
  state             TEXT    NOT NULL GENERATED ALWAYS AS (
    CASE WHEN triage = 'open' OR detected IN ('recovered', 'withdrawn') THEN detected ELSE triage END) VIRTUAL,
  -- The one number that its title tells.
  headline_metric     TEXT,                             -- as of a member; null: it tells none
  headline_effect     REAL,                             -- of what is timed: the change, and its interval at 95 %
  headline_low        REAL,
  headline_high       REAL,
  headline_before     TEXT,                             -- of counts and verdicts
  headline_after      TEXT,
  headline_experiment INTEGER,                          -- whose it is, which may be gone; null: what most did
  weight              REAL  NOT NULL DEFAULT 0,         -- Alert::weight
  -- Until when people do not want to hear of it. Queries compare it with the day: a generated column cannot know it.
  muted_until       TEXT    NOT NULL DEFAULT '',        -- a day, '2026-12-24', or mute_end_name(); '': not muted
  muted_beyond      REAL,                               -- muted until it is worse: the end of its interval that was farther from 0
  urgency           INTEGER NOT NULL GENERATED ALWAYS AS (
    CASE WHEN detected IN ('recovered', 'withdrawn') OR triage IN ('fixed', 'wont_fix', 'invalid', 'infrastructure') THEN 6
         WHEN triage <> 'open' THEN 2
         WHEN direction = 'improvement' THEN 3
         WHEN direction <> 'regression' THEN 4
         WHEN detected = 'suspect' THEN 1
         ELSE 0 END) VIRTUAL,  -- as the values of Urgency, without kMuted
  -- Of one that is not found any more.
  lost_as           TEXT    NOT NULL DEFAULT '',        -- `detected` when it was last found, where people had acted on it
  is_orphaned       INTEGER NOT NULL DEFAULT 0,         -- nothing that people did explains that it is gone
  successor         INTEGER,                            -- the alert that tells of most of its series now
  explanation       TEXT    NOT NULL DEFAULT ''         -- why it is of what it is of, and why it has its state
) STRICT;
CREATE INDEX alert_by_state ON alert (state, urgency, onset);
CREATE INDEX alert_by_onset ON alert (onset);
CREATE INDEX alert_by_mute ON alert (muted_until);
CREATE INDEX alert_by_model ON alert (accelerator_model);
CREATE INDEX alert_orphaned ON alert (id) WHERE is_orphaned;

-- The labels that differ between the last good and the first bad run of an alert.
CREATE TABLE alert_label (
  alert_id INTEGER NOT NULL REFERENCES alert (id),
  key      TEXT    NOT NULL,
  before   TEXT    NOT NULL,  -- in the last good run; '': there was none
  after    TEXT    NOT NULL,  -- in the first bad run
  PRIMARY KEY (alert_id, key)
) STRICT, WITHOUT ROWID;

-- The series that changed.
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
CREATE INDEX alert_member_by_model ON alert_member (model, suite, backend);
CREATE INDEX alert_member_by_experiment ON alert_member (experiment_id, metric);

-- The runs that alerts name, as they were then: runs may go.
CREATE TABLE alert_run (
  id                INTEGER PRIMARY KEY,
  name              TEXT NOT NULL,
  accelerator_model TEXT NOT NULL,
  started_at        REAL NOT NULL
) STRICT;

-- What people did with an alert. Rows are only ever added; of each kind but notes the last counts.
CREATE TABLE alert_action (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  alert_id INTEGER NOT NULL REFERENCES alert (id),
  at       REAL    NOT NULL,
  who      TEXT    NOT NULL,
  kind     TEXT    NOT NULL,  -- alert_action_kind_name()
  value    TEXT    NOT NULL,  -- state: triage_state_name(); owner, link, mute: '' takes it away
  token    TEXT               -- name of the token that was shown; null: none
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
  token             TEXT,           -- name of the token that was shown; null: none
  PRIMARY KEY (accelerator_model, name, kind)
) STRICT, WITHOUT ROWID;

-- Derived: from which files an invocation's lines came.
CREATE TABLE invocation_file (
  invocation_id INTEGER NOT NULL REFERENCES invocation (id),
  file_id       INTEGER NOT NULL REFERENCES ingested_file (id),
  line_count    INTEGER NOT NULL,
  PRIMARY KEY (invocation_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX invocation_file_by_file ON invocation_file (file_id);

-- Derived: one row a result, with the lines that count for it.
CREATE TABLE result (
  run_id               INTEGER NOT NULL,
  experiment_id        INTEGER NOT NULL,
  started_at           REAL    NOT NULL,  -- the run's
  timing_line_id       INTEGER,           -- last line with timings that count
  failure_line_id      INTEGER,           -- last failed or untimed line after it
  verification_line_id INTEGER,
  verified_at          REAL,              -- the verification's own timestamp
  code                 TEXT,              -- the verification's code
  timing_shared        INTEGER NOT NULL,  -- 1: the line is not of this batch size alone
  verification_shared  INTEGER NOT NULL,
  profiled_line_id     INTEGER,           -- without a timing line: last line timed while XLA's profiler ran
  PRIMARY KEY (run_id, experiment_id)
) STRICT, WITHOUT ROWID;
-- All columns, so that a series is read from the index alone.
CREATE INDEX result_series ON result
  (experiment_id, started_at, run_id, timing_line_id, failure_line_id, verification_line_id,
   verified_at, code, timing_shared, verification_shared, profiled_line_id);
CREATE INDEX result_verified ON result (experiment_id, started_at, run_id, verified_at, code)
  WHERE verification_line_id IS NOT NULL;

-- A result with the samples that the estimators need, and what is to be known of its other lines.
CREATE VIEW result_facts AS
SELECT r.run_id, r.experiment_id, r.started_at, r.timing_line_id, r.timing_shared, l.repeat,
       l.iterations_per_run, l.per_iter_time, l.total_time, l.xla_compile_time, r.failure_line_id,
       f.error_id AS failure_error_id, f.code AS failure_code, r.verification_line_id,
       r.verified_at, r.code, r.verification_shared, v.error_id AS verification_error_id,
       r.profiled_line_id
FROM result AS r
LEFT JOIN line AS l ON l.id = r.timing_line_id
LEFT JOIN line AS f ON f.id = r.failure_line_id
LEFT JOIN line AS v ON v.id = r.verification_line_id;

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

-- What finds alerts keeps, so that one more night costs no more than that: each run's results summed
-- up, and what was made of all nights so far. All of it can be made anew from the results.
CREATE TABLE night_facts (
  run_id     INTEGER PRIMARY KEY,
  revision   INTEGER NOT NULL,  -- of the run when it was summed up
  content    BLOB    NOT NULL,  -- content_hash()
  byte_count INTEGER NOT NULL,
  is_zstd    INTEGER NOT NULL,
  bytes      BLOB    NOT NULL
) STRICT;

-- What the number of an alert was judged by, night by night.
CREATE TABLE alert_chart (
  alert_id   INTEGER PRIMARY KEY,
  metric     TEXT NOT NULL,
  experiment INTEGER,        -- null: many series
  nights     TEXT NOT NULL  -- a JSON list of [run id, value, low or null, high or null, how many], oldest first
) STRICT;

-- What happened to an alert from night to night. It is worked out from the results together with the alert.
CREATE TABLE alert_history (
  alert_id INTEGER PRIMARY KEY,
  events   TEXT NOT NULL  -- as history_text() writes it, oldest first
) STRICT;

-- How much of each night can be trusted, as who finds alerts judges it.
CREATE TABLE night_quality (
  run_id       INTEGER PRIMARY KEY,
  judged       INTEGER NOT NULL,  -- series
  off          INTEGER NOT NULL,  -- of these, far off their level
  is_disturbed INTEGER NOT NULL,
  scatter      REAL,              -- of repetitions, as a multiple of what is usual; null: not known
  alike        TEXT    NOT NULL   -- runs that were in the same recurring state: a JSON list of ids
) STRICT;

CREATE TABLE watch_state (
  id                INTEGER PRIMARY KEY,
  accelerator_model TEXT    NOT NULL UNIQUE,
  night_count       INTEGER NOT NULL,
  basis             TEXT    NOT NULL,  -- what it follows from, in the words of who watches
  content           BLOB    NOT NULL,  -- content_hash()
  byte_count        INTEGER NOT NULL,
  is_zstd           INTEGER NOT NULL,
  bytes             BLOB    NOT NULL
) STRICT;

-- What should be in every run on an accelerator model, where somebody said so.
CREATE TABLE expected_result (
  accelerator_model TEXT NOT NULL,
  suite             TEXT NOT NULL,
  model             TEXT NOT NULL,
  test              TEXT NOT NULL,
  backend           TEXT NOT NULL,
  PRIMARY KEY (accelerator_model, suite, model, test, backend)
) STRICT, WITHOUT ROWID;


-- Derived of a trace: what it is searched and summed up by. None of it is there while a trace is not indexed yet.
CREATE TABLE trace_index (
  trace_id INTEGER PRIMARY KEY REFERENCES trace (id),
  version  INTEGER NOT NULL,  -- of the rules by which it was made
  begin_ns INTEGER NOT NULL,  -- of the first slice
  end_ns   INTEGER NOT NULL,  -- of the slice that ends last
  counters_left_out INTEGER   -- not kept; 1000000: or more; null: an older program did not count them
) STRICT;

-- Of each label: how many slices, how long, and how many begin in each of 256 parts of the trace.
CREATE TABLE trace_label_sums (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  block    INTEGER NOT NULL,  -- of the labels from 1024 times this on
  bytes    BLOB    NOT NULL,  -- a zstd frame
  PRIMARY KEY (trace_id, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_track (
  trace_id    INTEGER NOT NULL REFERENCES trace (id),
  thread      INTEGER NOT NULL,
  busy_ns     INTEGER NOT NULL,  -- of its first row
  point_count INTEGER NOT NULL,  -- without metadata
  sums        BLOB    NOT NULL,  -- zstd: of its labels
  extents     BLOB    NOT NULL,  -- zstd: when each of its chunks begins and ends
  PRIMARY KEY (trace_id, thread)
) STRICT, WITHOUT ROWID;

-- The same sums of a chunk and of a group of chunks.
CREATE TABLE trace_sums (
  id       INTEGER PRIMARY KEY,
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  thread   INTEGER NOT NULL,
  is_group INTEGER NOT NULL,
  number   INTEGER NOT NULL,  -- of the chunk or the group
  sums     BLOB    NOT NULL,  -- zstd
  within   BLOB,              -- zstd, of a chunk: how much of each slice what is right within it takes; null: nothing
  UNIQUE (trace_id, thread, is_group, number)
) STRICT;

-- In which chunks of a thread a label is.
CREATE TABLE trace_posting (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  label    INTEGER NOT NULL,
  thread   INTEGER NOT NULL,
  chunks   BLOB    NOT NULL,  -- numbers, ascending
  PRIMARY KEY (trace_id, label, thread)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_flow_kind (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  category INTEGER NOT NULL,  -- the number of a text
  ends     INTEGER NOT NULL,
  PRIMARY KEY (trace_id, category)
) STRICT, WITHOUT ROWID;

-- What people noted of a part of a trace. By content, so that they outlive a trace that is deleted and taken in again.
CREATE TABLE trace_note (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  content_hash BLOB    NOT NULL,  -- as the trace's
  begin_ns     INTEGER NOT NULL,  -- on the trace's own clock
  end_ns       INTEGER NOT NULL,
  thread       INTEGER,           -- null: all of them
  words        TEXT    NOT NULL,
  who          TEXT    NOT NULL,  -- '' where they did not say
  at           REAL    NOT NULL,  -- seconds since 1970
  token        TEXT               -- name of the token that was shown; null: none
) STRICT;
CREATE INDEX trace_note_by_content ON trace_note (content_hash);

-- Derived of a trace: numbers that change with time, of counter events.
CREATE TABLE trace_counter (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  number   INTEGER NOT NULL,  -- within the trace, from 0
  thread   INTEGER NOT NULL,
  name     TEXT    NOT NULL,  -- the event's, with its id where it has one
  key      TEXT    NOT NULL,  -- which of its numbers
  count    INTEGER NOT NULL,
  min      REAL    NOT NULL,
  max      REAL    NOT NULL,
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

-- Up to 4096 of a counter's values by time.
CREATE TABLE trace_counter_block (
  id       INTEGER PRIMARY KEY,
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  counter  INTEGER NOT NULL,
  number   INTEGER NOT NULL,  -- within the counter, from 0
  begin_ns INTEGER NOT NULL,  -- of the first and of the last
  end_ns   INTEGER NOT NULL,
  min      REAL    NOT NULL,
  max      REAL    NOT NULL,
  last     REAL    NOT NULL,
  bytes    BLOB    NOT NULL,  -- zstd: times and values
  UNIQUE (trace_id, counter, number)
) STRICT;

-- Derived of a trace: places where something was found, such as graph breaks. All of a kind are in blocks;
-- trace_finding has those of an older program, the longest 1000 of each kind, until the trace is derived again.
CREATE TABLE trace_finding_block (
  id       INTEGER PRIMARY KEY,
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  kind     TEXT    NOT NULL,
  number   INTEGER NOT NULL,  -- within the kind, from 0
  bytes    BLOB    NOT NULL,  -- zstd: up to 4096 findings of the kind, the longest first
  UNIQUE (trace_id, kind, number)
) STRICT;

CREATE TABLE trace_finding (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  number   INTEGER NOT NULL,  -- by time, from 0
  kind     TEXT    NOT NULL,
  thread   INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns   INTEGER NOT NULL,
  words    TEXT    NOT NULL,
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_finding_kind (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  kind     TEXT    NOT NULL,
  count    INTEGER NOT NULL,  -- of all, kept or not
  earliest INTEGER,           -- its place, the longest first: the one that begins first; null: of an older program
  PRIMARY KEY (trace_id, kind)
) STRICT, WITHOUT ROWID;

-- Derived of a trace: each device, a process with slices of a device, and how long it did what. Idle is what is between its
-- first slice and its last, by what it waited for.
CREATE TABLE trace_device (
  trace_id       INTEGER NOT NULL REFERENCES trace (id),
  number         INTEGER NOT NULL,  -- within the trace, from 0
  thread         INTEGER NOT NULL,  -- the first of its threads that have slices of a device
  begin_ns       INTEGER NOT NULL,
  end_ns         INTEGER NOT NULL,
  busy_ns        INTEGER NOT NULL,  -- the union over its threads
  gaps           INTEGER NOT NULL,
  host_wait_ns   INTEGER NOT NULL,
  kernel_wait_ns INTEGER NOT NULL,
  other_ns       INTEGER NOT NULL,
  unknown_ns     INTEGER NOT NULL,
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

-- Up to 512 of the spans of time in which a device was busy. No two of a device touch.
CREATE TABLE trace_device_block (
  id       INTEGER PRIMARY KEY,
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  device   INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,  -- of the first
  end_ns   INTEGER NOT NULL,  -- of the last
  busy_ns  INTEGER NOT NULL,  -- their lengths together
  count    INTEGER NOT NULL,
  bytes    BLOB    NOT NULL,  -- zstd: the spans (trace/trace_device.cc)
  UNIQUE (trace_id, device, end_ns)
) STRICT;

-- Traces that somebody dropped on a page, to look at them for a while. Only the holder of the token sees them, unless a
-- dump is of the same content.
CREATE TABLE dropped_trace (
  trace_id INTEGER NOT NULL REFERENCES trace (id),
  token_id INTEGER NOT NULL,  -- access_token.id
  name     TEXT    NOT NULL,  -- of the file
  at       REAL    NOT NULL,  -- seconds since 1970
  until    REAL    NOT NULL,  -- seconds since 1970: from then on it is removed
  digest   BLOB    NOT NULL,  -- zstd: its report (service/traces/trace_digest.cc)
  PRIMARY KEY (trace_id, token_id)
) STRICT, WITHOUT ROWID;

-- Traces that are kept outside the store, each in an object of its own, a pack, in the place that the setting
-- `trace_place` names. Of such a trace the store has its row in `trace`, its HLO, its notes and its dumps; the other
-- tables whose names begin with trace_ have nothing of it.
CREATE TABLE trace_pack (
  trace_id   INTEGER PRIMARY KEY REFERENCES trace (id),
  key        TEXT    NOT NULL UNIQUE,  -- of the object in the place
  hash       BLOB    NOT NULL,         -- XXH3-128 of its bytes
  byte_count INTEGER NOT NULL,
  origin     INTEGER NOT NULL,         -- ns: from when its times are counted
  index_version INTEGER,               -- of its index, as in trace_index; null: it has none, or one that is to be made again
  lacks_findings INTEGER NOT NULL      -- whether more was found in it than is kept, as an older program did
) STRICT;

-- Packs in the place that no trace is in: any more, or as far as the store knows.
CREATE TABLE orphan_pack (
  key        TEXT PRIMARY KEY,
  noted_at   REAL NOT NULL,  -- seconds since 1970; one that was put after that has come from elsewhere
  keep_until REAL NOT NULL,  -- it is not removed before
  given_up_at REAL           -- when it was decided to remove it: no trace is put into it any more; null: it is kept for now
) STRICT, WITHOUT ROWID;

-- Large traces that come into the store in pieces, each within a transaction of its own, so that nobody waits long for
-- them. Until all of it is there, such a trace is no dump's and nobody sees it; content_hash in `trace` is a random key,
-- which tells it from any other. What a killed process leaves of one is removed after an hour.
CREATE TABLE arriving_trace (
  trace_id INTEGER PRIMARY KEY REFERENCES trace (id),
  begun_at REAL    NOT NULL  -- seconds since 1970
) STRICT;
