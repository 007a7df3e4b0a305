import assert from "node:assert/strict";
import { test } from "node:test";
import { isForAll, newsOf, waitAfter } from "../src/lib/live";
import type { Store } from "../src/api/types";

const run = (id: number, started_at: string) =>
  ({ id, name: `night ${id}`, started_at, accelerator_model: "A100" }) as Store["newest_run"];
const store = (run_count: number, newest_run: Store["newest_run"]): Store => ({
  revision: 1,
  version: "1",
  run_count,
  result_count: 0,
  rejected_count: 0,
  newest_run,
  attention_count: 0,
  time_shift_weeks: 0,
  is_default: true,
});

test("it looks every three seconds, less often in a long ingest and where nobody answers", () => {
  assert.equal(waitAfter(0, 0), 3000);
  assert.equal(waitAfter(0, 3), 3000);
  assert.equal(waitAfter(0, 4), 10_000);
  assert.deepEqual(
    [1, 2, 3, 9].map((failures) => waitAfter(failures, 0)),
    [3000, 6000, 12_000, 30_000],
  );
});

test("after a change from here nothing is asked for twice, but for what others ingested meanwhile", () => {
  const seen = { isNew: true, isOwn: false, wasSilent: false, news: "" };
  assert.equal(isForAll(seen), true);
  assert.equal(isForAll({ ...seen, isOwn: true }), false);
  assert.equal(isForAll({ ...seen, isOwn: true, news: "New: run night 2" }), true);
  assert.equal(isForAll({ ...seen, isNew: false }), false);
  assert.equal(isForAll({ ...seen, isNew: false, wasSilent: true }), true, "what failed meanwhile is asked for again");
});

test("a new run is news, a new mark is none", () => {
  const first = store(1, run(1, "2026-01-01T00:00:00Z"));
  assert.equal(newsOf(first, store(2, run(2, "2026-01-02T00:00:00Z"))), "New: run night 2");
  assert.equal(newsOf(store(0, null), first), "New: run night 1");
  assert.equal(newsOf(first, store(3, run(1, "2026-01-01T00:00:00Z"))), "New: 2 earlier runs");
  assert.equal(newsOf(first, { ...first, revision: 2 }), "");
  assert.equal(newsOf(store(2, run(2, "2026-01-02T00:00:00Z")), first), "", "the newest was deleted");
});
