import assert from "node:assert/strict";
import { test } from "node:test";
import type { PhaseGroup, PhasePoint, PhaseTime, PhasedRepetition, PhasesAnswer } from "../src/api/types";
import { overlapAmong, overlapOf, overlappedWhole } from "../src/lib/phases";
import { moreWords } from "../src/parts/profile/ir";
import { marksSentence, phasesSentence } from "../src/parts/profile/phases";

const time = (
  seconds: number | null,
  basis: PhaseTime["basis"] = seconds === null ? "not_recorded" : "measured",
): PhaseTime => ({ seconds, basis, interval: null });
const repetition = (more: Partial<PhasedRepetition>): PhasedRepetition => ({
  repetition: 0,
  warmup: false,
  total: 1.2,
  tracing: time(0.3),
  compiling: time(null),
  executing: time(0.6),
  rest: time(0.3, "derived"),
  rest_holds: [],
  overlap: null,
  xla_compilations: null,
  graphs_captured: null,
  ...more,
});
const overlapping = (overlap: number): PhasedRepetition =>
  repetition({ executing: time(0.9 + overlap), rest: time(null, "overlapping"), overlap });
const summary = (value: number | null, n = value === null ? 0 : 3) => ({
  median: value,
  interval: null,
  n,
  sum: value === null ? null : value * n,
});
const group = (more: Partial<PhaseGroup>): PhaseGroup => ({
  repetitions: 3,
  total: summary(1.2),
  tracing: summary(0.3),
  compiling: summary(null),
  executing: summary(0.6),
  rest: summary(0.3),
  ...more,
});
const none = group({
  repetitions: 0,
  total: summary(null),
  tracing: summary(null),
  executing: summary(null),
  rest: summary(null),
});
const answer = (steady: PhaseGroup, repetitions: PhasedRepetition[]) =>
  ({ steady, warmup: none, repetitions, first_excess: null }) as unknown as PhasesAnswer;

test("what overlaps is no part of the whole: the sentence says meanwhile, and by how much", () => {
  assert.equal(
    phasesSentence(answer(group({}), [repetition({}), repetition({})])),
    "A steady repetition takes 1.20 s, of that 300 ms tracing, 600 ms executing.",
  );
  const steady = group({ executing: summary(3.1), rest: summary(null) });
  const three = [2.1, 2.2, 2.3].map(overlapping);
  assert.equal(
    phasesSentence(answer(steady, three)),
    "A steady repetition takes 1.20 s, meanwhile 300 ms tracing, 3.10 s executing, with an overlap of 2.20 s.",
  );
  assert.match(
    phasesSentence(answer(steady, [...three.slice(0, 2), repetition({})])),
    /meanwhile .* with an overlap of 2\.15 s in 2 of 3\.$/,
  );
  // The warm-up's overlap says nothing of steady repetitions.
  assert.match(phasesSentence(answer(group({}), [{ ...overlapping(2), warmup: true }, repetition({})])), /, of that /);
});

test("an overlap of a rounding is none", () => {
  assert.equal(overlapOf({ overlap: null, total: 1 }), 0);
  assert.equal(overlapOf({ overlap: 0.0005, total: 1 }), 0);
  assert.equal(overlapOf({ overlap: 0.5, total: 1 }), 0.5);
  assert.equal(overlapAmong([repetition({ overlap: 0.0005 }), repetition({})]), null);
});

test("over runs the whole is marked where phases overlap, not where medians alone are longer", () => {
  const point = (steady: PhaseGroup) =>
    ({ line_id: 1, warmup: none, steady, first_excess: null, flags: [] }) as unknown as PhasePoint;
  assert.equal(overlappedWhole(point(group({ executing: summary(3.1), rest: summary(null) })), "steady"), 1.2);
  assert.equal(overlappedWhole(point(group({ executing: summary(0.7) })), "steady"), null, "no repetition overlaps");
  assert.equal(overlappedWhole(point(group({ rest: summary(null) })), "steady"), null);
  assert.equal(overlappedWhole(point(none), "steady"), null);
});

test("a table of phases names the signs that it has, and calls measured only what a metric says", () => {
  assert.equal(marksSentence([repetition({})]), "measured; the rest is what is left of the total");
  assert.equal(
    marksSentence([
      repetition({ compiling: time(2, "inferred") }),
      repetition({ compiling: time(0, "counted"), tracing: time(0.1, "derived") }),
    ]),
    "≈ inferred; − a difference of metrics; # nothing, as Dynamo's counters tell; no sign: measured; the rest is what is left of the total",
  );
  assert.equal(marksSentence([overlapping(2)]), "measured");
  assert.equal(
    marksSentence([
      repetition({ tracing: time(null), executing: time(null), compiling: time(0, "counted"), rest: time(null) }),
    ]),
    "# nothing, as Dynamo's counters tell",
  );
});

test("a list that is cut promises no more than it shows", () => {
  assert.equal(moreWords(17), "all 17");
  assert.equal(moreWords(1000), "all 1,000");
  assert.equal(moreWords(1001), "the first 1,000 of 1,001");
});
