// Where an iteration goes: what is drawn and said of two profiles, and of profiles over runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  ComparedProfile,
  ComparedProfileTime,
  Experiment,
  ProfileComparison,
  ProfilePoint,
  ProfileSeriesAnswer,
  RunRef,
} from "../src/api/types";
import {
  comparisonSentenceOf,
  isInTime,
  iterationsWords,
  missingWords,
  partSegments,
  partWords,
  profilePairs,
  unknownParts,
} from "../src/lib/iteration_parts";
import { knownNumbers, linesOf } from "../src/parts/profile_numbers";

const run = (id: number): RunRef => ({
  id,
  name: `2026-01-0${id}T00:00:00Z`,
  accelerator_model: "A100",
  started_at: `2026-01-0${id}T00:00:00Z`,
  verified_at: null,
  labels: {},
});
const experiment = (id: number, column: string): Experiment => ({
  id,
  suite: "torchbench",
  model: "alpha",
  test: "eval",
  backend: column,
  column,
  accelerator: "cuda",
  accelerator_model: "A100",
  batch_size: 8,
  xla: null,
  xla_flags: null,
  dynamo: "inductor",
  torch_xla2: null,
  flags: {},
});
const time = (ns: number | null, share: number | null, unknown: string | null = null) => ({
  ns,
  share,
  overlapped_ns: null,
  unknown,
});
const part = (name: string, left: ReturnType<typeof time>, right: ReturnType<typeof time>): ComparedProfileTime => ({
  kind: "part",
  name,
  left,
  right,
  difference_ns: left.ns === null || right.ns === null ? null : right.ns - left.ns,
});
const point = (of: Partial<ProfilePoint> = {}): ProfilePoint => ({
  artifact_id: 1,
  trace_id: 1,
  missing: null,
  iteration_ns: null,
  busy_share: null,
  idle_ns: null,
  top_class: null,
  top_share: null,
  compiling_ns: null,
  peak_memory_bytes: null,
  peak_reserved_bytes: null,
  peak_memory_of: null,
  ...of,
});
const side = (id: number, column: string, of: Partial<ComparedProfile> = {}): ComparedProfile => ({
  ...point(),
  run: run(1),
  experiment: experiment(id, column),
  dump: "alpha/0/trace.json",
  missing: null,
  found_by: "profiler_steps",
  iterations: 4,
  counted_by: "marks",
  length_ns: 4000,
  busy_unknown: null,
  operators_on: "device",
  operator_devices: 1,
  operators_unknown: null,
  iteration_ns: 1000,
  ...of,
});
const comparison = (of: Partial<ProfileComparison> = {}): ProfileComparison => ({
  left: side(1, "inductor"),
  right: side(2, "openxla+dynamo", { iteration_ns: 1500 }),
  parts: [
    part("tracing", time(200, 0.2), time(300, 0.2)),
    part("executing", time(800, 0.8), time(1200, 0.8)),
    part("waiting", time(null, null, "no host"), time(0, 0)),
  ],
  operators: [],
  operator_count: 0,
  without_difference: null,
  definitions: [],
  ...of,
});

test("parts stand one after the other, in time or as shares; what is not known is not drawn", () => {
  const { parts } = comparison();
  assert.deepEqual(
    partSegments(parts, "right", true).map(({ part, from, size }) => [part, from, size]),
    [
      ["tracing", 0, 300],
      ["executing", 300, 1200],
    ],
  );
  assert.deepEqual(
    partSegments(parts, "left", false).map(({ part, from }) => [part, from]),
    [
      ["tracing", 0],
      ["executing", 0.2],
    ],
  );
  assert.equal(partWords(parts, "left"), "tracing 20.0 %, executing 80.0 %");
});

test("stacks have one axis in time where the length of an iteration is known of all that are drawn", () => {
  assert.ok(isInTime(comparison()));
  assert.ok(!isInTime(comparison({ left: side(1, "inductor", { iteration_ns: null }) })));
  assert.ok(
    isInTime(comparison({ left: side(1, "inductor", { iteration_ns: null, missing: "The result has no profile." }) })),
  );
});

test("the sentence says what an iteration takes and what makes the difference", () => {
  assert.equal(
    comparisonSentenceOf(comparison()),
    "alpha, inference, inductor and openxla+dynamo, 2026-01-01 00:00: an iteration takes 1.00 µs and 1.50 µs; most of the difference is executing.",
  );
  assert.match(
    comparisonSentenceOf(
      comparison({ right: side(2, "openxla+dynamo", { artifact_id: null, missing: "The result has no profile." }) }),
    ),
    /: openxla\+dynamo has no profile\.$/,
  );
  const unknown = side(1, "inductor", { iteration_ns: null });
  assert.match(
    comparisonSentenceOf(comparison({ left: unknown })),
    /: how long an iteration takes is not known for inductor\.$/,
  );
  assert.match(
    comparisonSentenceOf(
      comparison({ left: unknown, right: { ...side(1, "inductor"), run: run(2), iteration_ns: 1 } }),
    ),
    /not known for 2026-01-01 00:00\.$/,
  );
  assert.match(
    comparisonSentenceOf(comparison({ left: unknown, right: side(2, "openxla", { iteration_ns: null }) })),
    /not known for either profile\.$/,
  );
});

test("how iterations were found is said", () => {
  assert.equal(iterationsWords(side(1, "inductor")), "4 iterations, by steps of the profiler");
  assert.equal(
    iterationsWords(side(1, "inductor", { counted_by: "repetition", iterations: 1, found_by: "whole_profile" })),
    "one repetition of 1 iteration; nothing marks them",
  );
  assert.match(
    iterationsWords(side(1, "inductor", { counted_by: "nothing", iterations: null, found_by: "whole_profile" })),
    /^the whole profile; nothing/,
  );
  assert.equal(
    iterationsWords(side(1, "inductor", { missing: "The result has no profile." })),
    "The result has no profile.",
  );
});

test("parts that a profile cannot tell stand together by their reason", () => {
  const missing = time(null, null, "no host");
  const parts = [
    part("tracing", missing, time(1, 1)),
    part("compiling", missing, time(0, 0)),
    part("waiting", time(null, null, "no calls"), time(0, 0)),
  ];
  const expected = [
    { side: "left", parts: ["tracing", "compiling"], why: "no host" },
    { side: "left", parts: ["waiting"], why: "no calls" },
  ];
  assert.deepEqual(unknownParts(comparison({ parts })), expected);
  assert.deepEqual(
    unknownParts(comparison({ parts, left: side(1, "inductor", { missing: "The result has no profile." }) })),
    [],
  );
});

const answer: ProfileSeriesAnswer = {
  runs: [run(1), run(2), run(3)],
  series: [
    { experiment: experiment(2, "openxla+dynamo"), points: [point({ busy_share: 0.5 }), null, null] },
    {
      experiment: experiment(1, "inductor"),
      points: [point({ busy_share: 0.4 }), null, point({ busy_share: 0.6, idle_ns: 2e6 })],
    },
    { experiment: experiment(3, "inductor"), points: [point(), point(), null] },
  ],
};

test("runs without a profile are gaps, and so are numbers that it does not say", () => {
  const numbers = knownNumbers(answer);
  assert.deepEqual(
    numbers.map((one) => one.key),
    ["busy", "idle"],
  );
  const busy = linesOf(answer, numbers[0] as (typeof numbers)[number]);
  assert.deepEqual(
    busy.map((one) => one.experiment.id),
    [1, 2],
    "an experiment without any has no line",
  );
  assert.deepEqual(
    busy[0]?.points.map((one) => one?.value ?? null),
    [0.4, null, 0.6],
  );
  assert.deepEqual(
    linesOf(answer, numbers[1] as (typeof numbers)[number])[0]?.points.map((one) => one?.value ?? null),
    [null, null, 0.002],
  );
});

test("two backends are compared by their latest profiles", () => {
  assert.deepEqual(
    profilePairs(answer).map(({ left, right, differs }) => [
      left.run,
      left.experiment,
      right.run,
      right.experiment,
      differs,
    ]),
    [[3, 1, 1, 2, ""]],
  );
});

test("of configurations those with the same machine, batch size and flags are compared, and else it is said what differs", () => {
  const of = (series: [Experiment, (ProfilePoint | null)[]][]) =>
    profilePairs({ runs: answer.runs, series: series.map(([experiment, points]) => ({ experiment, points })) });
  const all = [point(), point(), point()];
  const ids = ({ left, right, differs }: ReturnType<typeof of>[number]) => [left.experiment, right.experiment, differs];
  const large = { ...experiment(4, "inductor"), batch_size: 64 };
  const other = { ...experiment(5, "inductor"), flags: { precision: "bf16" } } as Experiment;
  assert.deepEqual(
    of([
      [large, all],
      [other, all],
      [experiment(1, "inductor"), [point(), null, null]],
      [experiment(2, "openxla"), all],
    ]).map(ids),
    [[1, 2, ""]],
    "older, and the same",
  );
  assert.deepEqual(
    of([
      [large, all],
      [other, all],
      [experiment(2, "openxla"), all],
    ]).map(ids),
    [[5, 2, "other flags"]],
  );
  assert.deepEqual(
    of([
      [large, all],
      [experiment(2, "openxla"), all],
    ]).map(ids),
    [[4, 2, "batch 64 and batch 8"]],
  );
  assert.deepEqual(
    of([
      [{ ...experiment(6, "inductor"), accelerator_model: "H100" }, all],
      [experiment(2, "openxla"), all],
    ]).map(ids),
    [[6, 2, "H100 and A100"]],
  );
  assert.deepEqual(
    of([
      [experiment(1, "inductor"), all],
      [experiment(2, "openxla"), [null, null, point({ missing: "An older version took the profile in." })]],
    ]),
    [],
    "what has to be read again is not compared yet",
  );
});

test("two models beside each other are both named", () => {
  const other = side(1, "inductor", { experiment: { ...experiment(1, "inductor"), model: "beta", test: "train" } });
  assert.match(
    comparisonSentenceOf(comparison({ left: other })),
    /^beta, training and alpha, inference, inductor and openxla\+dynamo, /,
  );
  assert.match(comparisonSentenceOf(comparison()), /^alpha, inference, inductor and /);
});

test("a profile that has to be read again is not said to be missing", () => {
  const again = side(1, "inductor", {
    missing:
      "An older version took the profile in. A server that may write to the store reads it again soon after it starts; `benchhud rebuild` does so at once.",
  });
  const none = side(2, "openxla", { artifact_id: null, missing: "The result has no profile." });
  assert.match(
    comparisonSentenceOf(comparison({ left: again })),
    /: inductor has a profile that has to be read again\.$/,
  );
  assert.equal(
    missingWords({ left: again, right: none }),
    "inductor has a profile that has to be read again, openxla has no profile",
  );
  assert.equal(missingWords({ left: none, right: none }), "neither has a profile");
  assert.equal(
    missingWords({ left: again, right: side(2, "openxla") }),
    "inductor has a profile that has to be read again",
  );
  assert.match(
    comparisonSentenceOf(comparison({ left: again, right: again })),
    /: the left has .*again, the right has .*again\.$/,
  );
});

test("a part is most of the difference only above half of it", () => {
  const parts = [
    part("tracing", time(100, 0.1), time(300, 0.2)),
    part("executing", time(500, 0.5), time(740, 0.5)),
    part("unknown", time(400, 0.4), time(460, 0.3)),
  ];
  assert.match(comparisonSentenceOf(comparison({ parts })), /; the largest part of the difference is executing\.$/);
});
