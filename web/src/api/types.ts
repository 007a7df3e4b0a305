// The shapes of the answers, as schema/openapi.json describes them.

export type Interval = { low: number; high: number; confidence: number };
export type Estimate = { value: number; interval: Interval | null; n: number; flags: string[] };
export type Speedup = Estimate & { baseline_run_id: number; baseline_experiment_id: number };
export type Geomean = { value: number | null; interval: Interval | null; n: number };

export type RunRef = {
  id: number;
  name: string;
  accelerator_model: string;
  started_at: string;
  verified_at: string | null;
  labels: Record<string, string>;
};
export type Invocation = {
  id: number;
  kind: "timing" | "verification" | "mixed";
  at: string;
  line_count: number;
  files: string[];
};
export type Run = RunRef & {
  result_count: number;
  timed_count: number;
  failed_count: number;
  invocations: Invocation[];
};

export type Experiment = {
  id: number;
  suite: string;
  model: string;
  test: string;
  backend: string;
  column: string;
  accelerator: string;
  accelerator_model: string;
  batch_size: number | null;
  xla: string | null;
  xla_flags: string | null;
  dynamo: string | null;
  torch_xla2: string | null;
  flags: Record<string, unknown>;
};

export type Outcome = "passing" | "failing" | "undecided";
export type Verification = {
  code: string;
  outcome: Outcome;
  verified_at: string;
  run_id: number;
  stale: boolean;
  age_seconds: number | null;
  shared: boolean;
};
export type FailureKind = "skipped" | "timed_out" | "out_of_memory" | "crashed" | "exception" | "other";
export type Failure = {
  kind: FailureKind;
  signature: string;
  excerpt: string;
  line_id: number;
  after_timing: boolean;
};
export type Status = "timed" | "failed" | "skipped" | "not_timed";
export type Exclusion = string;

export type Group = {
  test: string;
  backend: string;
  passing: number;
  failing: number;
  undecided: number;
  unverified: number;
  stale: number;
  total: number;
  timed: number;
  failed: number;
  geomean: { all: Geomean; matched: Geomean } | null;
  compile: { median: number; mean: number; n: number } | null;
};
export type Move = {
  experiment: Experiment;
  before: Estimate;
  after: Estimate;
  ratio: number;
  interval: Interval | null;
};
export type TransitionKind = "newly_failing" | "newly_passing" | "changed" | "disappeared" | "new";
export type Transition = {
  kind: TransitionKind;
  experiment: Experiment;
  before: Verification | null;
  after: Verification | null;
};
export type AcceleratorOverview = {
  accelerator_model: string;
  run: RunRef;
  previous_run: RunRef | null;
  groups: Group[];
  previous_groups: Group[];
  history: { run: RunRef; groups: Group[] }[];
  transitions: Transition[];
  moves: Move[];
};
export type Overview = {
  store: { revision: number; version: string; run_count: number; result_count: number; rejected_count: number };
  baseline: string;
  accelerators: AcceleratorOverview[];
};

export type Cell = {
  experiment_id: number;
  status: Status;
  time: Estimate | null;
  compile: number | null;
  speedup: Speedup | null;
  excluded: Exclusion | null;
  verification: Verification | null;
  failure: Failure | null;
};
export type ModelRow = {
  suite: string;
  model: string;
  test: string;
  batch_size: number | null;
  cells: Record<string, Cell>;
};
export type ColumnGeomean = {
  test: string;
  column: string;
  backend: string;
  all: Geomean;
  matched: Geomean;
  excluded: { reason: Exclusion; count: number; models: string[] }[];
};
export type ModelTable = {
  run: RunRef;
  baseline: { backend: string; run: string; runs: RunRef[] };
  estimator: string;
  columns: { key: string; backend: string }[];
  rows: ModelRow[];
  geomeans: ColumnGeomean[];
};

export type Line = {
  id: number;
  invocation_id: number;
  kind: "timing" | "verification";
  at: string;
  file: string;
  line_number: number;
  byte_offset: number;
  effective: ("timing" | "failure" | "verification")[];
  shared: boolean;
  code: string | null;
  error_excerpt: string | null;
  extra: Record<string, unknown>;
};
export type Result = {
  run_id: number;
  experiment: Experiment;
  status: Status;
  steady: Estimate | null;
  upstream: { value: number; std: number; n: number } | null;
  compile: { upstream: number | null; xla: number | null };
  verification: Verification | null;
  failure: Failure | null;
  repeat: number | null;
  iterations_per_run: number | null;
};
export type ResultDetail = Result & { run: RunRef; lines: Line[] };

export type Sample = number | null | "NaN" | "Infinity" | "-Infinity";
export type Measurement = {
  line_id: number;
  metric: string;
  unit: string;
  better: "lower" | "higher" | "neither";
  explanation: string;
  shape: "array" | "scalar" | "null" | "nested";
  n: number;
  median: number | null;
  mean: number | null;
  min: number | null;
  max: number | null;
  samples: Sample[];
  json: unknown;
};

export type ModelItem = {
  suite: string;
  model: string;
  tests: string[];
  backends: string[];
  accelerator_models: string[];
  last_run_at: string;
};

export type SeriesPoint = { value: number; low: number | null; high: number | null; n: number; flags: string[] };
export type Series = {
  experiment: Experiment;
  points: (SeriesPoint | null)[];
  codes: ({ code: string; stale: boolean } | null)[];
  failures: (string | null)[];
};
export type SeriesAnswer = { metric: string; unit: string; better: string; runs: RunRef[]; series: Series[] };

export type CodeInfo = { code: string; outcome: Outcome; meaning: string; advice: string };
export type VerificationCell = Verification & { experiment_id: number; failure: Failure | null };
export type VerificationAnswer = {
  run: RunRef;
  codes: CodeInfo[];
  counts: { test: string; backend: string; code: string; count: number; stale: number }[];
  rows: { suite: string; model: string; test: string; cells: Record<string, VerificationCell | null> }[];
  columns: { key: string; backend: string }[] | string[];
};
export type VerificationHistory = {
  runs: RunRef[];
  counts: { run_id: number; test: string; backend: string; code: string; count: number }[];
  verified: boolean[];
};
export type TransitionsAnswer = { run: RunRef; since: RunRef | null; items: Transition[] };
export type FailuresAnswer = {
  run: RunRef;
  items: {
    signature: string;
    kind: FailureKind;
    count: number;
    experiments: Experiment[];
    line_id: number;
    excerpt: string;
  }[];
};

export type Ingest = {
  id: number;
  path: string;
  at: string;
  byte_count: number;
  line_count: number;
  accepted: number;
  duplicate: number;
  rejected: number;
  content_hash: string;
  runs: RunRef[];
};
export type RejectedLine = {
  id: number;
  ingest_id: number;
  path: string;
  line_number: number;
  byte_offset: number;
  byte_count: number;
  reason: string;
  excerpt: string;
  at: string;
};
export type MetricInfo = { metric: string; unit: string; better: string; family: string; explanation: string };
export type Page<T> = { items: T[]; next_cursor: string | null; total: number };
export type Problem = { type?: string; title: string; status: number; detail?: string; instance?: string };
