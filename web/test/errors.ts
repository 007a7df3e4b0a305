import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorTrend, RunRef } from "../src/api/types";
import { ERROR_KINDS, errorSentence, errorSign, errorsSentence, nightsText, standingOf, standingText } from "../src/lib/errors";

const runs: RunRef[] = [1, 2, 3].map((id) => ({ id, name: `n${id}`, accelerator_model: "A100", started_at: `2025-11-0${id}T00:00:00Z`, verified_at: null, labels: {} }));
const trend = (more: Partial<ErrorTrend>): ErrorTrend => ({
  signature: "KeyError: 'x'",
  kind: "exception",
  now: 1,
  experiment_count: 1,
  model_count: 1,
  run_count: 1,
  first_run_id: 2,
  last_run_id: 3,
  since_run_id: 2,
  maybe_older: false,
  suites: [],
  backends: [],
  tests: [],
  line_id: 1,
  excerpt: "",
  counts: [0, 1, 1],
  ...more,
});

test("an error is new, back, lasting or over", () => {
  assert.equal(standingOf(trend({})), "new");
  assert.equal(standingOf(trend({ since_run_id: 3 })), "back");
  assert.equal(standingOf(trend({ first_run_id: 1, since_run_id: 1, maybe_older: true })), "lasting");
  assert.equal(standingOf(trend({ since_run_id: null, now: 0 })), "over");
  assert.equal(standingText(trend({}), runs), "new since 2025-11-02");
  assert.equal(standingText(trend({ since_run_id: 3 }), runs), "back since 2025-11-03");
  assert.equal(standingText(trend({ first_run_id: 1, since_run_id: 1, maybe_older: true }), runs), "since 2025-11-01 or before");
  assert.equal(standingText(trend({ since_run_id: null, last_run_id: 2 }), runs), "last on 2025-11-02");
});

test("the list's sentence counts what fails now, what is new and what is over", () => {
  assert.equal(errorsSentence({ runs, items: [] }), "Nothing failed in the last 3 runs.");
  assert.equal(errorsSentence({ runs, items: [trend({ kind: "skipped" })] }), "Nothing failed in the last 3 runs.");
  assert.equal(
    errorsSentence({ runs, items: [trend({ now: 4 }), trend({ since_run_id: 3 }), trend({ since_run_id: null, now: 0 })] }),
    "2 errors in the newest run, of 5 experiments; 1 new and 1 back within the last 3 runs; 1 other is over.",
  );
  assert.equal(errorsSentence({ runs, items: [trend({ since_run_id: null, now: 0 })] }), "No error in the newest run; 1 other is over.");
});

test("one error's sentence", () => {
  assert.equal(errorSentence(trend({ kind: "out_of_memory", now: 2, experiment_count: 5, model_count: 3 }), runs), "Out of memory: 2 experiments now, new since 2025-11-02; 3 more had it before.");
  assert.equal(errorSentence(trend({ now: 0, since_run_id: null, experiment_count: 4, model_count: 2, run_count: 2 }), runs), "An exception: over since 2025-11-03; 4 experiments of 2 models had it in 2 runs of the last 3.");
});

test("every kind has a sign of its own and a word", () => {
  assert.equal(new Set(ERROR_KINDS.map((kind) => errorSign(kind).glyph)).size, ERROR_KINDS.length);
  assert.equal(new Set(ERROR_KINDS.map((kind) => errorSign(kind).word)).size, ERROR_KINDS.length);
  assert.equal(errorSign("no such kind").word, "no such kind");
});

test("nights of an experiment in words", () => {
  assert.equal(nightsText({ failed: 2, tried: 3, first_run_id: 1, last_run_id: 3 }, runs), "failed of this in 2 of 3 runs that tried it, first 2025-11-01, last 2025-11-03");
});
