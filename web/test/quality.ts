import assert from "node:assert/strict";
import { test } from "node:test";
import type { NightQuality } from "../src/api/types";
import { qualityFacts, qualityWarning } from "../src/lib/quality";

const run = (day: number) => ({
  id: day,
  name: `n${day}`,
  accelerator_model: "A100",
  started_at: `2025-03-0${day}T02:00:00Z`,
  verified_at: null,
  labels: {},
});
const night = (more: Partial<NightQuality> = {}): NightQuality => ({
  run: run(9),
  judged: 34,
  off: 0,
  is_disturbed: false,
  scatter: 1.02,
  alike: [],
  ...more,
});

test("a night is told by how many series are off and how much repetitions scatter", () => {
  assert.equal(qualityFacts(night()), "none of 34 series is off its level");
  assert.equal(qualityFacts(night({ off: 1 })), "1 of 34 series is off its level");
  assert.equal(
    qualityFacts(night({ off: 21, scatter: 5 })),
    "21 of 34 series are off their level, repetitions scatter 5.0 times as much as usual",
  );
  assert.equal(qualityFacts(night({ off: 2, scatter: null })), "2 of 34 series are off their level");
  assert.equal(qualityFacts(night({ judged: 0 })), "", "of what is not known nothing is told");
});

test("a reader is warned of a disturbed night and of another machine, and of nothing else", () => {
  assert.equal(qualityWarning(night({ off: 2 })), "");
  assert.equal(
    qualityWarning(night({ off: 21, scatter: 5, is_disturbed: true })),
    "this night is disturbed: 21 of 34 series are off their level, repetitions scatter 5.0 times as much as usual",
  );
  assert.match(
    qualityWarning(night({ alike: [run(3)] })),
    /^times are as on the night of .*03.*: probably another machine$/,
  );
  assert.match(
    qualityWarning(night({ is_disturbed: true, alike: [run(3), run(5), run(7)] })),
    /^this night is disturbed: .*; times are as on the nights of .*03, .*05 and .*07: probably another machine$/,
  );
});
