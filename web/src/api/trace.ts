// What a trace tells, as docs/traces.md describes it: the member `trace` of an artifact's content, which the contract leaves open.
// Times are nanoseconds unless a name says otherwise; what does not apply is null.

export type Totals = {
  count: number;
  total_ns: number;
  mean_ns: number | null;
  min_ns: number | null;
  max_ns: number | null;
};
/** A node stands before those below it and right after all that is below its sibling before; `parent` is a place in the list. */
export type TreeRow = Totals & { name: string; depth: number; parent: number | null; self_ns: number };
export type Advice = {
  code: string;
  severity: "note" | "hint" | "warning";
  sentence: string;
  numbers: Record<string, number>;
};
export type Quantiles = { p50: number; p90: number; max: number };

export type KernelRow = Totals & { name: string; class: string; share: number };
export type LaunchRow = {
  name: string;
  count: number;
  call: Totals;
  device: Totals;
  delay: Totals;
  long_delays: number;
};
export type LaunchQueue = {
  pid: string;
  tid: string;
  name: string;
  launched: number;
  begin_ns: number;
  span_ns: number;
  longest: number;
  mean: number;
  full_ns: number;
  longest_by_part: number[];
};
export type CopyRow = Totals & {
  name: string;
  stated: number;
  bytes: number | null;
  mean_gb_per_s: number | null;
  max_gb_per_s: number | null;
};
export type TraceOperator = {
  name: string;
  category: string;
  count: number;
  total_ns: number;
  self_ns: number;
  device_ns: number | null;
  share: number | null;
};
export type CompiledVersion = { id: string; executed: Totals; compiled: Totals };
export type CompiledFrame = {
  frame: string;
  executions: number;
  recompiles: number;
  compilations_ever: number;
  versions: CompiledVersion[];
  versions_left_out: number;
};
/** Phases of one compile id contain each other. */
export type CompiledId = {
  compile_id: string;
  compiled: Totals;
  phases: { name: string; time: Totals }[];
  phases_left_out: number;
};
export type AnnotatedCompilation = { annotation: string | null; annotated: Totals | null; compiled: Totals };

/** A row of a table of XLA's operators: an operator, or all of a category, a framework's operator, a module. */
export type XlaRow = {
  name?: string | null;
  category?: string | null;
  framework_op?: string | null;
  module?: string | null;
  program?: string | null;
  source?: string | null;
  runs?: number | null;
  time_ps?: number;
  occurrences: number | null;
  kernels: number;
  self_ps: number;
  share_of_span: number;
  share_of_self: number;
  flops: number | null;
  bytes: number | null;
  flops_per_s: number | null;
  bytes_per_s: number | null;
  bound_by: string | null;
  utilization: number | null;
};
export type XlaKernel = {
  name: string | null;
  operator: string | null;
  grid: string | null;
  block: string | null;
  registers: number | null;
  static_shared_bytes: number | null;
  dynamic_shared_bytes: number | null;
  occupancy_pct: number | null;
  count: number;
  total_ps: number;
  min_ps: number;
  max_ps: number;
};
/** The tables are those of the first devices. */
export type XlaDevice = {
  name: string;
  kind: "tpu" | "gpu" | "cpu";
  span_ps: number;
  busy_ps: number;
  peaks: { flops_per_s: number | null; hbm_bytes_per_s: number | null };
  events_left_out: number;
  operators?: XlaRow[];
  operators_left_out?: number;
  categories?: XlaRow[];
  categories_left_out?: number;
  framework_ops?: XlaRow[];
  framework_ops_left_out?: number;
  modules?: XlaRow[];
  modules_left_out?: number;
  kernels?: XlaKernel[];
  kernels_left_out?: number;
};
/** Peaks that the allocator does not have are absent. */
export type AllocatorRow = {
  allocator: string | null;
  allocations: number;
  deallocations: number;
  peak_bytes: number | null;
  peak_reserved_bytes?: number | null;
  lifetime_peak_bytes?: number | null;
  capacity_bytes?: number | null;
};
export type XlaProfile = {
  devices: XlaDevice[];
  iterations: {
    found_by: "nothing" | "annotations" | "device_steps" | "step_marks" | "module_runs";
    name: string | null;
    where: string | null;
    marks: number;
    count: number;
    total_ns: number;
    mean_ns: number | null;
    min_ns: number | null;
    max_ns: number | null;
    device_busy_ns: number | null;
  };
  memory: AllocatorRow[];
  module_runs: { linked: number; without_launch: number; launches_without_run: number };
  /** What the tables and iterations do not know; absent in reports of before it was told. */
  left_out?: { kernels: number; module_runs: number; steps: number };
};

export type TraceReport = {
  events: number;
  slices: number;
  begin_ns: number;
  span_ns: number;
  host_busy_ns: number | null;
  max_depth: number;
  overlaps: number;
  advice: Advice[];
  torch_compile: {
    applied: "yes" | "no" | "partly" | "cannot_tell";
    evidence: string[];
    inductor_triton_kernels: number | null;
    handed_back: (Totals & { name: string; device_ns: number | null; generated_by_inductor: boolean | null })[];
    handed_back_left_out: number;
    handed_back_total: Totals;
  };
  compiled_code: {
    compiled_ns: number;
    eager_in_regions_ns: number;
    outside_ns: number;
    compiling_ns: number;
    cache_lookups: number;
  };
  graph_breaks: {
    regions: number;
    breaks: number;
    breaks_distinct: number | null;
    chains: number;
    broken_chains: number;
    longest_chain: number;
    tree: (TreeRow & { eager: Totals })[];
    executions_left_out: number;
  };
  recompilation: {
    recompiles: number | null;
    compiled_in_trace: Totals;
    compiled_without_frame: number;
    frames: CompiledFrame[];
    frames_left_out: number;
  };
  compiled_functions: {
    paired: number;
    forward_only: number;
    backward_only: number;
    by_region: { region: string | null; paired: number; forward: Totals; backward: Totals }[];
  };
  compile_time: {
    total_ns: number;
    sum_ns: number;
    phases: TreeRow[];
    slices_left_out: number;
    by_annotation: AnnotatedCompilation[];
    annotations_left_out: number;
    by_compile_id: CompiledId[];
    compile_ids_left_out: number;
    profiled: boolean;
  };
  /** Why it is not known what ran on devices, and what launched it; what hangs on that is null. */
  cannot_tell: { device: string | null; launches: string | null };
  device: {
    kernels: number | null;
    busy_ns: number | null;
    span_ns: number | null;
    utilization: number | null;
    utilization_of_steps: number | null;
    devices?: number | null;
    least_busy_ns?: number | null;
    most_busy_ns?: number | null;
  };
  kernel_classes: Record<string, number | null> | null;
  idle_ns: { host_wait: number | null; kernel_wait: number | null; other: number | null; unknown: number | null };
  device_breakdown: null | {
    span_ns: number;
    idle_ns: number;
    compute_ns: number;
    communication_ns: number;
    memory_ns: number;
    exclusive_ns: Record<string, number>;
    overlap_of_communication: number | null;
  };
  kernels: null | {
    total: Totals;
    kernels: number;
    short_kernels: number;
    by_name: KernelRow[];
    names_left_out: number;
    left_out: Totals;
    by_operator: (Totals & { name: string | null; share: number })[];
    operators_left_out: number;
  };
  launches: null | {
    calls: number;
    launched: number;
    without_call: number;
    from_graphs: number;
    by_call: Record<string, number>;
    call_total: Totals;
    call_ns: Quantiles | null;
    device_ns: Quantiles | null;
    delay_ns: Quantiles | null;
    long_calls: number;
    long_delays: number;
    longer_than_launched: number;
    by_name: LaunchRow[];
    names_left_out: number;
  };
  launch_queues: LaunchQueue[] | null;
  launch_queues_left_out: number | null;
  copies: CopyRow[] | null;
  copies_left_out: number | null;
  /** By PyTorch's `[memory]` events; null where there are none, without rows where no event says of which device it is. */
  memory?: AllocatorRow[] | null;
  memory_events_left_out?: number;
  steps: {
    count: number;
    duration_ns: number;
    parts_ns: Record<string, number> | null;
    mean_parts_ns: Record<string, number> | null;
  };
  operators: {
    count: number;
    self_ns: number;
    by_name: TraceOperator[];
    names_left_out: number;
    left_out: { count: number; self_ns: number };
  };
  flows: { bound: number; dangling: number };
  profiling: {
    python_frames: number;
    overhead: Totals;
    synchronizations: Totals | null;
    pageable_copies: Totals | null;
  };
  /** Of an XPlane profile; reports of older versions have no such member. */
  xla?: XlaProfile | null;
  unclosed: number;
  broken: number;
  problem_count: number;
  problems: { offset: number; reason: string }[];
};

/** The report of a content, if it has one of the shape that these pages know. */
export function traceReport(trace: unknown): TraceReport | null {
  const found = trace as Partial<TraceReport> | null;
  return found &&
    typeof found === "object" &&
    Array.isArray(found.advice) &&
    found.torch_compile &&
    found.graph_breaks &&
    found.cannot_tell
    ? (found as TraceReport)
    : null;
}
