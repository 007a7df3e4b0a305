import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorTrend, RunRef } from "../src/api/types";
import {
  ERROR_KINDS,
  errorSentence,
  errorSign,
  errorsSentence,
  nightsText,
  standingOf,
  standingText,
} from "../src/lib/errors";

const runs: RunRef[] = [1, 2, 3].map((id) => ({
  id,
  name: `n${id}`,
  accelerator_model: "A100",
  started_at: `2025-11-0${id}T00:00:00Z`,
  verified_at: null,
  labels: {},
}));
const trend = (more: Partial<ErrorTrend>): ErrorTrend => ({
  signature: "KeyError: 'x'",
  kind: "exception",
  now: 1,
  experiment_count: 1,
  model_count: 1,
  run_count: 1,
  first_run_id: 2,
  last_run_id: 3,
  since: [{ run_id: 2, standing: "new", experiments: 1 }],
  suites: [],
  backends: [],
  tests: [],
  line_id: 1,
  line_run_id: 3,
  excerpt: "",
  counts: [0, 1, 1],
  ...more,
});

const since = (run_id: number, standing: "new" | "back" | "lasting", experiments = 1) => ({
  since: [{ run_id, standing, experiments }],
});
const over = { since: [], now: 0 };

test("an error is new, back, lasting or over", () => {
  assert.equal(standingOf(trend({})), "new");
  assert.equal(standingOf(trend(since(3, "back"))), "back");
  assert.equal(standingOf(trend(since(1, "lasting"))), "lasting");
  assert.equal(standingOf(trend(over)), "over");
  assert.equal(standingText(trend({}), runs), "new since 2025-11-02");
  assert.equal(standingText(trend(since(3, "back")), runs), "back since 2025-11-03");
  assert.equal(standingText(trend(since(1, "lasting")), runs), "since 2025-11-01 or before");
  assert.equal(standingText(trend({ ...over, last_run_id: 2 }), runs), "over; last on 2025-11-02");
});

test("an error that one more experiment got says since when each has it", () => {
  const both = trend({ now: 4, since: [...since(3, "new").since, ...since(1, "lasting", 3).since] });
  assert.equal(standingOf(both), "new");
  assert.equal(standingText(both, runs), "1 new since 2025-11-03, 3 since 2025-11-01 or before");
});

test("the list's sentence counts what fails now, what is new and what is over", () => {
  const now = { experiments: 0, failed: 0, verification: 0 };
  assert.equal(errorsSentence({ runs, now, items: [] }), "Nothing failed in the last 3 runs.");
  assert.equal(
    errorsSentence({ runs, now, items: [trend({ kind: "skipped" })] }),
    "Nothing failed in the last 3 runs.",
  );
  // One experiment has both errors: the errors' own counts would add up to 5.
  assert.equal(
    errorsSentence({
      runs,
      now: { experiments: 4, failed: 4, verification: 1 },
      items: [trend({ now: 4 }), trend(since(3, "back")), trend(over)],
    }),
    "2 errors in the newest run, of 4 experiments (4 failed, 1 with an error of the verifier); 1 new and 1 back within the last 3 runs; 1 other is over.",
  );
  assert.equal(errorsSentence({ runs, now, items: [trend(over)] }), "No error in the newest run; 1 other is over.");
});

test("one error's sentence", () => {
  assert.equal(
    errorSentence(
      trend({ kind: "out_of_memory", now: 2, ...since(2, "new", 2), experiment_count: 5, model_count: 3 }),
      runs,
    ),
    "Out of memory: 2 experiments now, new since 2025-11-02; 3 more had it before.",
  );
  assert.equal(
    errorSentence(trend({ ...over, experiment_count: 4, model_count: 2, run_count: 2 }), runs),
    "An exception: over since 2025-11-03; 4 experiments of 2 models had it in 2 runs of the last 3.",
  );
});

test("every kind has a sign of its own and a word", () => {
  assert.equal(new Set(ERROR_KINDS.map((kind) => errorSign(kind).glyph)).size, ERROR_KINDS.length);
  assert.equal(new Set(ERROR_KINDS.map((kind) => errorSign(kind).word)).size, ERROR_KINDS.length);
  assert.equal(errorSign("no such kind").word, "no such kind");
});

test("nights of an experiment in words", () => {
  assert.equal(
    nightsText({ failed: 2, tried: 3, first_run_id: 1, last_run_id: 3 }, runs),
    "failed with this error in 2 of 3 runs that tried it; has it first 2025-11-01, last 2025-11-03",
  );
});
