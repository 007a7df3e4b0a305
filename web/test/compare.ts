// Comparisons in words: why a verdict is what it is, what comes first, what two pins make.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComparedResult, Comparison, ComparisonGroup, ComparisonRow, RunRef } from "../src/api/types";
import {
  comparisonSentence,
  inOrder,
  labelChoices,
  percent,
  reasonSentence,
  splitWords,
  worstFirst,
} from "../src/lib/compare";
import { pinned, pinsWith } from "../src/parts/pins";

const rule: Comparison["rule"] = {
  rate: 0.05,
  least_time_effect: 0.02,
  least_mean_effect: 0.01,
  least_effect_without_nights: 0.2,
  nights: 30,
  fewest_nights: 6,
};
const side = (more: Partial<ComparedResult> = {}): ComparedResult => ({
  experiment_id: 1,
  backend: "inductor",
  column: "inductor",
  batch_size: 8,
  absent: null,
  time: { value: 1, interval: null, n: 9, flags: [] },
  compile: null,
  speedup: null,
  excluded: null,
  verification: null,
  failure: null,
  has_dumps: false,
  has_profile: false,
  ...more,
});
const row = (more: Partial<ComparisonRow> = {}): ComparisonRow => ({
  suite: "s",
  model: "m",
  test: "eval",
  verdict: "worse",
  reason: "significant",
  verification: "unchanged",
  change: {
    ratio: 1.1,
    interval: { low: 1.05, high: 1.15, confidence: 0.95 },
    knows_nights: true,
    nights: 20,
    deviation: 0.01,
    p: 0.001,
    q: 0.01,
  },
  speedup: null,
  left: side(),
  right: side(),
  ...more,
});
const run = (id: number, started_at: string, labels: Record<string, string> = {}): RunRef => ({
  id,
  name: `night-${id}`,
  accelerator_model: "A100",
  started_at,
  verified_at: null,
  labels,
});

test("every reason is a sentence that names its numbers", () => {
  assert.match(
    reasonSentence(row(), rule),
    /\+10\.0 % \[\+5\.0, \+15\.0\], held against how 20 earlier nights differ: q is 0\.010, below 0\.05, and the change at least 2 %\./,
  );
  assert.match(reasonSentence(row({ verdict: "unclear", reason: "not_significant" }), rule), /may well be noise/);
  assert.match(
    reasonSentence(row({ verdict: "unclear", reason: "small_effect" }), rule),
    /surely there .* less than 2 %/,
  );
  assert.match(reasonSentence(row({ reason: "apart" }), rule), /fewer than 6 earlier nights .* more than 20 %/);
  assert.match(reasonSentence(row({ verdict: "unclear", reason: "few_nights" }), rule), /nobody can say/);
  assert.match(
    reasonSentence(
      row({
        verdict: "missing_right",
        reason: "missing",
        change: null,
        right: side({ absent: "out_of_memory", time: null }),
      }),
      rule,
    ),
    /right: out of memory/,
  );
  assert.equal(
    reasonSentence(row({ verdict: "unclear", reason: "same_result" }), rule),
    "The same result stands on both sides.",
  );
  assert.equal(percent(0.02), "2 %");
  assert.equal(percent(0.015), "1.5 %");
});

test("worst first: broken, gone, slower by how much, and only then what is unclear", () => {
  const rows = [
    row({ model: "unclear", verdict: "unclear" }),
    row({
      model: "faster",
      verdict: "better",
      change: { ...(row().change as NonNullable<ComparisonRow["change"]>), ratio: 0.5 },
    }),
    row({ model: "slower" }),
    row({ model: "much slower", change: { ...(row().change as NonNullable<ComparisonRow["change"]>), ratio: 2 } }),
    row({ model: "crashed", verdict: "missing_right", change: null, right: side({ absent: "crashed", time: null }) }),
    row({ model: "wrong", verdict: "unclear", verification: "newly_failing" }),
    row({ model: "new", verdict: "missing_left", change: null }),
  ];
  assert.deepEqual(
    worstFirst(rows).map((one) => one.model),
    ["wrong", "crashed", "much slower", "slower", "faster", "unclear", "new"],
  );
});

test("a speedup's change is ours or the baseline's", () => {
  assert.equal(splitWords(row(), "inductor"), null);
  assert.equal(
    splitWords(row({ speedup: { ratio: 0.8, own: 0.8, baseline: 1, due: "own" } }), "inductor")?.short,
    "ours slower",
  );
  assert.equal(
    splitWords(row({ speedup: { ratio: 0.8, own: 1, baseline: 0.8, due: "baseline" } }), "inductor")?.short,
    "inductor faster",
  );
  assert.match(
    splitWords(row({ speedup: { ratio: 0.8, own: 1, baseline: 0.8, due: "baseline" } }), "inductor")?.long ?? "",
    /−20\.0 %.*inductor's −20\.0 %/,
  );
});

test("two pins make a comparison, the earlier night at the left; of three the first goes", () => {
  assert.deepEqual(pinsWith([], "1"), ["1"]);
  assert.deepEqual(pinsWith(["1"], "2"), ["1", "2"]);
  assert.deepEqual(pinsWith(["1", "2"], "3"), ["2", "3"]);
  assert.deepEqual(pinsWith(["1", "2"], "1"), ["2"]);
  assert.deepEqual(pinned(new URLSearchParams("pin=1&pin=x&pin=2&pin=3")), ["2", "3"]);
  const [left, right] = inOrder(run(2, "2026-01-02T00:00:00Z"), run(1, "2026-01-01T00:00:00Z"));
  assert.deepEqual([left.id, right.id], [1, 2]);
});

test("branches come first among labels, each with its newest run", () => {
  const runs = [
    run(3, "2026-01-03T00:00:00Z", { branch: "main", pytorch: "c" }),
    run(2, "2026-01-02T00:00:00Z", { branch: "work" }),
    run(1, "2026-01-01T00:00:00Z", { branch: "main", pytorch: "c" }),
  ];
  const choices = labelChoices(runs, 10);
  assert.deepEqual(
    choices.map((one) => one.value),
    ["branch:main", "branch:work", "label:pytorch=c"],
  );
  assert.equal(choices[0]?.newest.id, 3);
});

test("the sentence says what broke before what moved", () => {
  const counts = {
    results: 2,
    timed: 2,
    failed: 0,
    passing: 1,
    failing: 1,
    undecided: 0,
    unverified: 0,
    stale: 0,
    verifiable: 2,
  };
  const mean = { left: 1, right: 1.02, ratio: 1.02, interval: { low: 0.99, high: 1.05, confidence: 0.95 }, n: 2 };
  const total: ComparisonGroup = {
    suite: null,
    test: null,
    left_backend: null,
    right_backend: null,
    left: counts,
    right: counts,
    newly_failing: [0],
    newly_passing: [],
    changed: [],
    appeared: [],
    gone: [],
    stopped: [1],
    started: [],
    worse: 1,
    better: 0,
    unclear: 1,
    time: { ...mean, knows_nights: true, nights: 20, p: 0.2, q: 0.2, verdict: "unclear", reason: "not_significant" },
    left_speedup: { value: 1, interval: null, n: 2 },
    right_speedup: { value: 1, interval: null, n: 2 },
    speedup: mean,
    compile: mean,
    memory: [],
  };
  const answer: Comparison = {
    left: { run: run(1, "2026-01-01T00:00:00Z"), backend: null, marks: [] },
    right: { run: run(2, "2026-01-02T00:00:00Z"), backend: null, marks: [] },
    baseline: "inductor",
    baseline_run: "same",
    nights_apart: 1,
    rule,
    groups: [total],
    rows: [row(), row()],
  };
  assert.equal(
    comparisonSentence(answer),
    "night-1 → night-2: 1 newly failing, 1 no longer timed, 1 slower of 2 results; no significant change of the times over all.",
  );
  const judged = (more: Partial<ComparisonGroup["time"]>) =>
    comparisonSentence({ ...answer, groups: [{ ...total, time: { ...total.time, ...more } }] });
  assert.match(
    judged({ verdict: "worse", reason: "significant" }),
    /times over all longer \(\+2\.0 % \[−1\.0, \+5\.0\]\)\.$/,
  );
  assert.match(
    judged({ ratio: 1.512, knows_nights: false, reason: "few_nights" }),
    /too few earlier nights to judge the times over all\.$/,
    "no percentage of what may be noise",
  );
  assert.match(comparisonSentence({ ...answer, right: answer.left }), /stands on both sides/);
});
