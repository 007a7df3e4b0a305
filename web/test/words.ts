// The sentences at the top of pages say the same numbers as the tables below them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AcceleratorOverview, Group, GroupChange, RunRef } from "../src/api/types";
import { daysAfter, daysBefore } from "../src/lib/format";
import { overviewSentence, untimedSentence } from "../src/lib/words";

const run: RunRef = {
  id: 2,
  name: "n2",
  accelerator_model: "A100",
  started_at: "2026-01-24T00:00:00Z",
  verified_at: null,
  labels: {},
};
const geomean = (value: number, n: number) => ({ value, interval: null, n });
const group = (backend: string, more: Partial<Group>): Group => ({
  test: "train",
  backend,
  passing: 0,
  failing: 0,
  undecided: 0,
  unverified: 0,
  stale: 0,
  verifiable: 0,
  total: 4,
  timed: 1,
  failed: 3,
  geomean: null,
  compile: null,
  ...more,
});
const mean = { before: 1, now: 1.01, ratio: 1.01, interval: null, n: 1 };
const lost = (model: string) => ({ suite: "torchbench", model, outcome: "raised" as const, signature: null });
const change = (backend: string, more: Partial<GroupChange> = {}): GroupChange => ({
  test: "train",
  backend,
  speedup: mean,
  speedups_before: 4,
  speedups_now: 1,
  compile: mean,
  no_longer_timed: ["m2", "m3", "m4"].map(lost),
  newly_timed: 0,
  ...more,
});
const overview = (groups: Group[], changes: GroupChange[]): AcceleratorOverview => ({
  accelerator_model: "A100",
  run,
  previous_run: { ...run, id: 1 },
  verified_run: null,
  verified_before: null,
  groups,
  previous_groups: groups,
  history: [],
  changes,
  transitions: [],
  moves: [],
});

test("a geomean over fewer models says that of both runs over the same, and the models that no longer time", () => {
  const one = overview(
    [group("inductor", { geomean: { all: geomean(1.01, 1), matched: geomean(1.01, 1) } }), group("eager", {})],
    [change("inductor"), change("eager")],
  );
  const said = overviewSentence(one, "eager");
  assert.match(
    said,
    /training nothing verified, 1\.01× eager; over the 1 of 4 models in both runs 1\.01×, before 1\.00×/,
  );
  assert.match(said, /3 models no longer time \(m2, m3, m4\)/, "each once, though two backends lost it");
  assert.equal(untimedSentence(overview([], [change("eager", { no_longer_timed: [] })])), "");
});

test("passing is of what is verified, and failing is what verification failed", () => {
  const groups = [
    group("openxla+dynamo", { passing: 5, failing: 1, undecided: 1, verifiable: 7, total: 10 }),
    group("inductor", { passing: 89, failing: 7, undecided: 4, verifiable: 100 }),
  ];
  const said = overviewSentence(overview(groups, []), "inductor");
  assert.match(said, /5 of 7 pass/);
  assert.match(said, /7 results of inductor fail verification/, "not all that do not pass");
});

test("how much earlier a run is", () => {
  assert.equal(daysBefore("2026-01-12T00:03:00Z", "2026-01-24T00:05:00Z"), "12 days before");
  assert.equal(daysBefore("2026-01-23T00:03:00Z", "2026-01-24T00:05:00Z"), "the day before");
  assert.equal(daysBefore("2026-01-24T00:03:00Z", "2026-01-24T04:05:00Z"), "less than a day before");
  assert.equal(daysAfter("2026-01-27T00:03:00Z", "2026-01-24T00:05:00Z"), "3 days after");
});
