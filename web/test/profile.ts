import assert from "node:assert/strict";
import { test } from "node:test";
import { type TraceReport, traceReport } from "../src/api/trace";
import type {
  Artifact,
  OperatorTable,
  PhasedRepetition,
  ProfileChange,
  ResultDetail,
  SectionDifference,
} from "../src/api/types";
import { adviceFlags } from "../src/lib/flags";
import { siblings } from "../src/lib/neighbours";
import { pointSegments, segments, stackLength, ticksTo } from "../src/lib/phases";
import {
  addsUp,
  amount,
  barOf,
  countersSideBySide,
  current,
  isSameFile,
  isUnusualFallback,
  kindCounts,
  metricText,
  nameColumn,
  nanoseconds,
  percent,
  pick,
  relative,
  repetitions,
  rowText,
  signedAmount,
  unitOfNs,
  unquoted,
  whichDump,
  earlierRecompilations,
  recompilationWords,
} from "../src/lib/profile";
import { profileDiffHref, profileHref } from "../src/lib/route";
import {
  diffSentence,
  leftOutWords,
  markedParts,
  sectionWords,
  sectionsWords,
  withoutTopic,
} from "../src/pages/profile_diff";
import { groupsSideBySide } from "../src/parts/profile/counters";
import { breaksSentence, countedOver, loweringWords } from "../src/parts/profile/compile";
import { flagNumber, flagWords, gravestFirst } from "../src/parts/profile/flags";
import { deviceSentence, ranOnDevice } from "../src/parts/profile/device";
import { memoryOf, spreadOfPeaks } from "../src/parts/profile/memory";
import { operatorColumns, sources, unitOfBytes } from "../src/parts/profile/operators";
import { foldedAtFirst, visibleNodes } from "../src/parts/profile/tree";
import { percentsOf } from "../src/parts/profile/xla";
import hygieneValues from "../../tests/unit/analysis/hygiene_values.json";
import { chosenSeries, phasesTold } from "../src/parts/phase_series";

let ids = 0;
const artifact = (more: Partial<Artifact>): Artifact => ({
  id: ++ids,
  kind: "trace",
  name: "m/0/trace.json",
  path: "/x",
  model: "m",
  repetition: 0,
  part: "",
  byte_count: 1,
  content_hash: "",
  at: "2026-01-01T00:00:00Z",
  problem_count: 0,
  unreadable: null,
  superseded: false,
  has_text: false,
  trace_id: 1,
  results: [],
  ...more,
});

test("amounts bear their unit; what is below 0 has a real minus", () => {
  assert.equal(amount(1_230_000, "ns"), "1.23 ms");
  assert.equal(amount(-1_230_000, "ns"), "\u22121.23 ms");
  assert.equal(amount(12, "ns"), "12.0 ns");
  assert.equal(nanoseconds(0), "0 s");
  assert.equal(nanoseconds(130e9), "2 min 10 s");
  assert.equal(amount(2048, "bytes"), "2.05 kB");
  assert.equal(amount(-2048, "bytes"), "\u22122.05 kB");
  assert.equal(amount(1234567, "count"), "1,234,567");
  assert.equal(amount(0.5, "count"), "0.500");
  assert.equal(signedAmount(5, "count"), "+5");
  assert.equal(signedAmount(0, "ns"), "0 s");
  assert.deepEqual(unitOfNs([2e6, 3e6]), { name: "ms", factor: 1e-6 });
  assert.deepEqual(unitOfBytes([3 * 1024 * 1024, 12]), { name: "MiB", factor: 1 / 1024 ** 2 });
  assert.equal(unitOfBytes([]).name, "B");
});

test("a share is a percentage that never rounds something to nothing", () => {
  assert.equal(percent(0), "0 %");
  assert.equal(percent(0.0004), "< 0.1 %");
  assert.equal(percent(-0.0004), "\u2212< 0.1 %");
  assert.equal(percent(0.4567), "45.7 %");
  assert.equal(percent(0.9999), "100 %");
  assert.equal(percent(-1.5), "\u2212150 %");
  assert.equal(relative(0, 5), "new");
  assert.equal(relative(0, 0), "");
  assert.equal(relative(2, 3), "+50.0 %");
});

test("metrics of a report keep their own units", () => {
  assert.equal(metricText({ unit: "ns", value: 3.588590974e9, text: "04s589ms590.974us" }), "3.59 s");
  assert.equal(metricText({ unit: "bytes", value: 1e6, text: "976KB" }), "1.00 MB");
  assert.equal(metricText({ unit: "number", value: 0.123456, text: "0.12" }), "0.123");
  const metric = (percents: number[]) => ({
    name: "m",
    total_samples: 1,
    accumulator: null,
    value_rate: null,
    rate: null,
    percentiles: percents.map((percent) => ({ percent, value: { unit: "ns" as const, value: 1, text: "1us" } })),
  });
  assert.deepEqual(percentsOf([metric([50, 99]), metric([1, 50])]), [1, 50, 99]);
});

test("the dump of a repetition, else the one of all of them, and never one that could not be read", () => {
  const all = [
    artifact({ repetition: 1 }),
    artifact({ repetition: null }),
    artifact({ repetition: 0 }),
    artifact({ repetition: 2, unreadable: "half a file", trace_id: null }),
  ];
  assert.equal(pick(all, "trace", 1), all[0]);
  assert.equal(pick(all, "trace", 2), all[1]);
  assert.equal(pick(all.slice(2), "trace", 2), all[2]);
  assert.equal(pick(all, "ir", 0), undefined);
  assert.deepEqual(repetitions(all), [0, 1, 2]);
  assert.equal(whichDump({ repetition: null, part: "device 1" }), "all repetitions, device 1");
  assert.deepEqual(current([artifact({ superseded: true })]), []);
  assert.deepEqual(
    kindCounts([artifact({}), artifact({ kind: "ir" }), artifact({})]).map((one) => one.text),
    ["2 traces", "1 IR dump"],
  );
});

const table: OperatorTable = {
  columns: [
    { name: "Self CPU %", unit: "percent" },
    { name: "Name", unit: "text" },
    { name: "Self CPU", unit: "ns" },
    { name: "CPU Mem", unit: "bytes" },
    { name: "# of Calls", unit: "number" },
    { name: "Input Shapes", unit: "text" },
  ],
  rows: [
    [498.57, "aten::mm", 1_500_000, 2048, 3, "[[2, 3], []]"],
    [1.5, "aten::add", 20_000, "--", 1, ""],
  ],
  totals: [{ name: "Self CPU time total", ns: 1_520_000 }],
};

test("an operator table of any columns: the name first, units in the heads, texts that are no numbers last", () => {
  assert.equal(nameColumn(table), 1);
  assert.equal(nameColumn({ ...table, columns: [{ name: "Op", unit: "text" }] }), 0);
  assert.equal(nameColumn({ ...table, columns: [] }), 0);
  const columns = operatorColumns(table);
  assert.deepEqual(
    columns.map((column) => column.title),
    ["Name", "Self CPU %", "Self CPU ms", "CPU Mem KiB", "# of Calls", "Input Shapes"],
  );
  const sorts = columns.map((column) => column.sort?.({ cells: table.rows[1] as (number | string)[], index: 1 }));
  assert.deepEqual(sorts, ["aten::add", 1.5, 20_000, null, 1, ""]);
  assert.equal(rowText(table, table.rows[0] as (number | string)[]), "aten::mm [[2, 3], []]");
  const outer = artifact({ kind: "operator_table", repetition: null });
  assert.deepEqual(
    sources([
      { artifact: outer, operator_tables: [table, table] },
      { artifact: artifact({ kind: "operator_table" }), operator_tables: null },
    ]).map((one) => one.text),
    ["all repetitions, table 0", "all repetitions, table 1"],
  );
});

test("counters side by side: what a repetition lacks is null, not 0", () => {
  assert.deepEqual(
    countersSideBySide([
      [{ name: "a", value: 1 }],
      [
        { name: "b", value: 2 },
        { name: "a", value: 0 },
      ],
    ]),
    [
      { name: "a", values: [1, 0] },
      { name: "b", values: [null, 2] },
    ],
  );
  const groups = groupsSideBySide([
    [{ group: "frames", counters: [{ name: "ok", value: 1, of_cache: false }] }],
    [{ group: "stats", counters: [] }],
  ]);
  assert.deepEqual(groups, [
    { group: "frames", own: [{ name: "ok", values: [1, null] }], caches: [] },
    { group: "stats", own: [], caches: [] },
  ]);
  assert.ok(isUnusualFallback("aten::topk"));
  assert.ok(!isUnusualFallback("aten::nonzero") && !isUnusualFallback("CachedSyncTensors"));
});

test("what is of a cache the server says, whatever a reason names", () => {
  const [breaks, inductor] = groupsSideBySide([
    [
      { group: "graph_break", counters: [{ name: "call to a lru_cache wrapped function", value: 1, of_cache: false }] },
      { group: "inductor", counters: [{ name: "fxgraph_cache_hit", value: 2, of_cache: true }] },
    ],
  ]);
  assert.deepEqual([breaks?.own.length, breaks?.caches.length], [1, 0]);
  assert.deepEqual([inductor?.own.length, inductor?.caches.length], [0, 1]);
});

test("reasons say over what they were counted; quotation marks of older versions are taken off", () => {
  assert.equal(countedOver({ repetitions: 1, running_totals: false }), "counted while capturing, so where it compiled");
  assert.match(countedOver({ repetitions: 13, running_totals: true }), /over 13 repetitions, whose counters go on/);
  assert.equal(unquoted("'skip function f'"), "skip function f");
  assert.equal(unquoted("'"), "'");
  assert.equal(unquoted("it's"), "it's");
});

test("a region within another is a graph break, or a function compiled for itself", () => {
  const breaks = {
    regions: 3,
    breaks: 2,
    breaks_distinct: 2,
    chains: 1,
    broken_chains: 1,
    longest_chain: 3,
    tree: [],
    executions_left_out: 0,
  };
  const sentence = (more: Partial<typeof breaks>) =>
    breaksSentence({ graph_breaks: { ...breaks, ...more } } as unknown as TraceReport);
  assert.match(
    sentence({}),
    /^1 of 1 call of compiled functions ran other compiled regions within: 2 regions, of 2 frames, behind graph breaks, or of functions compiled for themselves /,
  );
  assert.match(sentence({ breaks: 0 }), /none within another: no graph break/);
});

test("what Inductor does with an operator is said only where it is known", () => {
  assert.match(loweringWords(true), /^generated by Inductor/);
  assert.match(loweringWords(false), /generates no code for it/);
  assert.equal(loweringWords(null), "");
});

test("flags: the gravest first, numbers by what their names end with", () => {
  const flags = adviceFlags(
    [
      { code: "a", severity: "note", sentence: "n", numbers: {} },
      { code: "b", severity: "warning", sentence: "w", numbers: {} },
    ],
    "trace",
  );
  assert.deepEqual(
    gravestFirst([...flags, { key: "c", severity: "wrong", sentence: "x", numbers: [], from: "timing" }]).map(
      (one) => one.severity,
    ),
    ["wrong", "warning", "note"],
  );
  assert.equal(flagNumber("eager_ns", 1500), "1.50 µs");
  assert.equal(flagNumber("share", 0.5), "50.0 %");
  assert.equal(flagNumber("busy_share", 0.25), "25.0 %");
  assert.equal(flagNumber("kernels", 12), "12");
  assert.equal(flagWords("host_wait_ns"), "host wait");
  assert.equal(flagWords("spread_share"), "spread");
});

test("the values of every check of a time are shown with their unit", () => {
  const shown: Record<string, string> = { seconds: "2.00 s", share: "200 %", count: "2", number: "2" };
  for (const [name, kind] of Object.entries(hygieneValues)) assert.equal(flagNumber(name, 2), shown[kind], name);
  assert.equal(flagNumber("p_value", 0.0012), "0.00120");
});

const repetition = (more: Partial<PhasedRepetition>): PhasedRepetition => {
  const none = { seconds: null, basis: "not_recorded" as const, interval: null };
  return {
    repetition: 0,
    warmup: false,
    total: 1,
    tracing: none,
    compiling: none,
    executing: none,
    rest: none,
    rest_holds: [],
    overlap: null,
    xla_compilations: null,
    graphs_captured: null,
    ...more,
  };
};

test("phases stand one after the other; what is not known has no segment, and nothing is drawn shorter than it is", () => {
  const one = repetition({
    tracing: { seconds: 0.2, basis: "measured", interval: null },
    compiling: { seconds: 0.5, basis: "inferred", interval: null },
    rest: { seconds: 0.3, basis: "derived", interval: null },
  });
  assert.deepEqual(
    segments(one).map((segment) => [segment.phase, segment.from, segment.drawn]),
    [
      ["tracing", 0, "measured"],
      ["compiling", 0.2, "inferred"],
      ["rest", 0.7, "measured"],
    ],
  );
  assert.equal(stackLength(one), 1);
  assert.equal(
    stackLength(repetition({ total: 1, executing: { seconds: 3, basis: "measured", interval: null } })),
    3,
    "phases that overlap are longer than the whole",
  );
  assert.equal(stackLength(repetition({ total: null })), 0);
  assert.deepEqual(ticksTo(0.9, 4), [0, 0.5]);
  assert.deepEqual(ticksTo(0, 4), [0]);
  assert.deepEqual(ticksTo(NaN, 4), [0]);
});

const summary = (value: number | null) => ({ median: value, interval: null, n: value === null ? 0 : 3, sum: value });
const group = (compiling: number | null, rest: number) => ({
  repetitions: 3,
  total: summary(rest),
  tracing: summary(null),
  compiling: summary(compiling),
  executing: summary(null),
  rest: summary(rest),
});

test("phases over runs begin with the series that tells most", () => {
  const series = (backend: string, compiling: number | null) => ({
    experiment: {
      id: ++ids,
      suite: "s",
      model: "m",
      test: "eval",
      backend,
      column: backend,
      accelerator: "cpu",
      accelerator_model: "x",
      batch_size: null,
      xla: null,
      xla_flags: null,
      dynamo: null,
      torch_xla2: null,
      flags: {},
    },
    points: [null, { line_id: 1, warmup: group(compiling, 2), steady: group(0, 1), first_excess: null, flags: [] }],
  });
  const eager = series("eager", null);
  const inductor = series("inductor", 5);
  assert.equal(chosenSeries([eager, inductor], null), inductor);
  assert.equal(chosenSeries([eager, inductor], `eager.${eager.experiment.id}`), eager);
  assert.equal(chosenSeries([], null), undefined);
  assert.equal(phasesTold(inductor, "steady"), 0);
  assert.equal(phasesTold(inductor, "warmup"), 1);
  assert.deepEqual(
    pointSegments(inductor.points[1] as NonNullable<(typeof inductor.points)[1]>, "warmup").map((one) => [
      one.phase,
      one.from,
      one.seconds,
    ]),
    [
      ["compiling", 0, 5],
      ["rest", 5, 2],
    ],
  );
});

const change = (name: string, before: number, after: number, more: Partial<ProfileChange> = {}): ProfileChange => ({
  name,
  change: before === 0 ? "appeared" : after === 0 ? "gone" : "changed",
  before,
  after,
  calls_before: 0,
  calls_after: 0,
  share: null,
  ...more,
});
const section = (changes: ProfileChange[], more: Partial<SectionDifference> = {}): SectionDifference => ({
  of: "self CPU time",
  unit: "ns",
  before: 10,
  after: 20,
  unexplained: 0,
  change_count: changes.length,
  changes,
  ...more,
});

test("bars of a difference are drawn against the largest change", () => {
  const two = section([change("a", 0, 8), change("b", 4, 0)]);
  assert.equal(barOf(two.changes[0] as ProfileChange, two), 1);
  assert.equal(barOf(two.changes[1] as ProfileChange, two), -0.5);
  const none = section([change("a", 1, 1)]);
  assert.equal(barOf(none.changes[0] as ProfileChange, none), 0);
  assert.equal(sectionWords(two), "self CPU time: +10.0 ns (+100 %)");
  assert.equal(sectionWords(section([])), "self CPU time: the same");
  assert.equal(
    sectionWords(section([change("a", 1, 2)], { of: "counters", unit: "count" }), false),
    "counters: 1 change",
  );
  assert.ok(
    !addsUp("dynamo_counters", { unit: "count", before: 1 }) &&
      addsUp("ir", { unit: "count", before: 1 }) &&
      addsUp("trace", { unit: "ns", before: 1 }),
  );
});

test("a section without a total has changes, and no sum of what contains each other", () => {
  const metrics = section([change("CompileTime", 1, 2)], { of: "time of metrics", before: null, after: null });
  assert.ok(!addsUp("xla_metrics", metrics));
  assert.equal(sectionWords(metrics), "time of metrics: 1 change");
  assert.equal(sectionsWords("xla_metrics", [metrics]), "time of metrics: 1 change");
  assert.equal(sectionsWords("ir", []), "nothing in it can be compared");
  assert.equal(sectionsWords("ir", [section([])]), "no difference");
});

test("what was left out of the findings is said with its size; dumps of one content need no comparison", () => {
  assert.match(
    leftOutWords({ kind: "ir", part: "hlo", dump_count: 2, byte_count: 3e8 }),
    /^2 IR dumps \(hlo\), 300 MB together, are left out/,
  );
  assert.ok(isSameFile({ before: artifact({ content_hash: "a" }), after: artifact({ content_hash: "a" }) }));
  assert.ok(!isSameFile({ before: artifact({ content_hash: "a" }), after: artifact({ content_hash: "b" }) }));
});

test("names in a sentence are found as they are, the longest first", () => {
  assert.deepEqual(markedParts("aten::mm_ (a.*b) +1", ["aten::mm", "aten::mm_", "a.*b"]), [
    { text: "aten::mm_", name: true },
    { text: " (", name: false },
    { text: "a.*b", name: true },
    { text: ") +1", name: false },
  ]);
  assert.deepEqual(markedParts("nothing", ["", "x"]), [{ text: "nothing", name: false }]);
  assert.equal(withoutTopic({ topic: "graph_breaks", sentence: "Graph breaks: a is new (2)." }), "a is new (2).");
  assert.equal(withoutTopic({ topic: "operators", sentence: "self CPU time: 1 → 2." }), "self CPU time: 1 → 2.");
});

test("the sentence of a difference says which side is which, and whether the times are apart", () => {
  const side = (run: number, column: string, value: number | null) =>
    ({
      run: {
        id: run,
        name: `n${run}`,
        accelerator_model: "x",
        started_at: `2025-11-0${run}T00:00:00Z`,
        verified_at: null,
        labels: {},
      },
      experiment: { id: column.length, model: "m", test: "eval", column, backend: column },
      steady:
        value === null
          ? null
          : { value, interval: { low: value * 0.99, high: value * 1.01, confidence: 0.95 }, n: 9, flags: [] },
    }) as unknown as ResultDetail;
  assert.equal(
    diffSentence(side(1, "inductor", 1), side(2, "inductor", 2)),
    "m, inference, inductor, n1 → n2: steady time 1.00 s → 2.00 s (+100 %).",
  );
  assert.match(diffSentence(side(1, "inductor", 1), side(2, "inductor", 1.001)), /within the intervals of the runs/);
  assert.match(diffSentence(side(1, "eager", 1), side(1, "inductor", 2)), /eager → inductor, n1/);
  assert.match(diffSentence(side(1, "inductor", null), side(2, "inductor", 2)), /the one before was not timed/);
});

test("a tree is folded where it is too long, and what is folded hides all that is below", () => {
  const nodes = [
    { name: "a", depth: 0, parent: null },
    { name: "b", depth: 1, parent: 0 },
    { name: "c", depth: 2, parent: 1 },
    { name: "d", depth: 0, parent: null },
  ];
  assert.deepEqual(visibleNodes(nodes, new Set([0])), [0, 3]);
  assert.deepEqual(visibleNodes(nodes, new Set([1])), [0, 1, 3]);
  assert.deepEqual([...foldedAtFirst(nodes, 4)], []);
  assert.deepEqual([...foldedAtFirst(nodes, 3)], [1]);
  assert.deepEqual([...foldedAtFirst(nodes, 1)], [0, 1]);
});

test("neighbours: the other backends of the same model, those of the same batch size first", () => {
  const own = {
    id: 1,
    suite: "s",
    model: "m",
    test: "eval",
    accelerator_model: "x",
    backend: "inductor",
    batch_size: 4,
  };
  const all = [
    own,
    { ...own, id: 2, backend: "aot_eager" },
    { ...own, id: 3, backend: "eager", batch_size: 8 },
    { ...own, id: 4, backend: "eager" },
    { ...own, id: 5, test: "train" },
  ];
  assert.deepEqual(
    siblings(all as unknown as Parameters<typeof siblings>[0], own as unknown as Parameters<typeof siblings>[1]).map(
      (one) => one.id,
    ),
    [4, 2, 3],
  );
});

test("addresses of profiles say both sides", () => {
  assert.equal(profileHref(3, 7), "/profile?run=3&experiment=7");
  assert.equal(profileHref("a/b?c", 7, { repetition: "0" }), "/profile?run=a/b%3Fc&experiment=7&repetition=0");
  assert.equal(
    profileDiffHref({ run: 1, experiment: 2 }, { run: 3, experiment: 4 }),
    "/profile-diff?before_run=1&before_experiment=2&run=3&experiment=4",
  );
});

test("a report of another shape is no report", () => {
  assert.equal(traceReport(null), null);
  assert.equal(traceReport({}), null);
  assert.equal(traceReport("text"), null);
});

test("a region 0/1 was recompiled, if before the trace began", () => {
  const frames = [
    { compilations_ever: 2, recompiles: 0 },
    { compilations_ever: 1, recompiles: 0 },
  ];
  assert.equal(earlierRecompilations(frames), 1);
  assert.equal(recompilationWords(0, 1), "1 recompilation before the trace began");
  assert.equal(recompilationWords(0, 0), "No recompilation");
  assert.equal(
    recompilationWords(2, 1),
    "2 recompilations: the same code compiled again for other inputs; 1 recompilation before the trace began",
  );
  assert.equal(recompilationWords(null, 0), "Compilations of frames");
});

test("what a trace does not tell of devices is unknown, not nothing", () => {
  const of = (more: Partial<TraceReport>) => more as TraceReport;
  assert.equal(ranOnDevice(of({ kernels: null })), null);
  const device = { kernels: 2, busy_ns: 18_000, span_ns: 59_000, utilization: 18 / 59, utilization_of_steps: null };
  const unknown = deviceSentence(
    of({ device, idle_ns: { host_wait: null, kernel_wait: null, other: null, unknown: 41_000 } }),
  );
  assert.match(unknown, /waited 41.0 µs, for what cannot be told\.$/);
  const known = deviceSentence(of({ device, idle_ns: { host_wait: 41_000, kernel_wait: 0, other: 0, unknown: 0 } }));
  assert.match(known, /waited 41.0 µs, 100.* % of that for the host\.$/);
  const two = deviceSentence(
    of({
      device: { ...device, devices: 2, least_busy_ns: 5_900, most_busy_ns: 17_700 },
      idle_ns: { host_wait: 0, kernel_wait: 0, other: 0, unknown: 0 },
    }),
  );
  assert.equal(
    two,
    "Of 2 devices at least one was busy for 30.5 % of the 59.0 µs from the first to the last work, each by itself for 10.0 % to 30.0 % of them.",
  );
  assert.equal(
    traceReport({ advice: [], torch_compile: {}, graph_breaks: {}, kernels: {} }),
    null,
    "a report of an older program",
  );
});

test("memory is by allocator of XLA or by device of PyTorch, and several devices have a spread", () => {
  const row = (allocator: string, peak_bytes: number | null) => ({
    allocator,
    allocations: 1,
    deallocations: 0,
    peak_bytes,
  });
  const of = (more: Partial<TraceReport>) => more as TraceReport;
  assert.equal(memoryOf(of({})), null, "a report of an older program");
  assert.equal(memoryOf(of({ memory: null, xla: null })), null);
  assert.equal(memoryOf(of({ memory: [row("cuda:0", 5)] }))?.isXla, false);
  assert.equal(spreadOfPeaks([row("cpu", 9e9), row("cuda:0", 5e6)]), null);
  assert.deepEqual(
    memoryOf(of({ memory: null, memory_events_left_out: 3 })),
    { rows: [], isXla: false },
    "records of no known device",
  );
  assert.equal(spreadOfPeaks([row("cuda:0", null), row("cuda:1", null)]), null);
  assert.equal(
    spreadOfPeaks([row("cuda:0", null), row("cuda:1", 5e6)]),
    "Peak of 1 of 2 devices: 5.00 MB. Others, which are not known, may be larger; numbers over runs take the largest that is known.",
  );
  assert.equal(
    spreadOfPeaks([row("cuda:0", null), row("cuda:1", 5e6), row("cuda:2", 7e6)]),
    "Peaks of 2 of 3 devices: 5.00 MB to 7.00 MB. Others, which are not known, may be larger; numbers over runs take the largest that is known.",
  );
  assert.equal(
    spreadOfPeaks([row("cpu", 9e9), row("cuda:0", 5e6), row("cuda:1", 7e6)]),
    "Peaks of 2 devices: 5.00 MB to 7.00 MB. Numbers over runs take the largest.",
  );
});
