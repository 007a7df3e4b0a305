import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRef } from "../src/api/types";
import { firstRange } from "../src/lib/exclusion";

const run = (id: number): RunRef => ({
  id,
  name: `night ${id}`,
  accelerator_model: "A100",
  started_at: "2025-11-01T00:00:00Z",
  verified_at: null,
  labels: {},
});
/** Newest first, as the API lists them. */
const runs = Array.from({ length: 30 }, (_, place) => run(130 - place));

test("the nights that are offered first: from the onset to the last before it was over", () => {
  assert.deepEqual(firstRange({ onset: run(110), closed: run(114) }, runs), { first: "110", last: "113" });
  assert.deepEqual(firstRange({ onset: run(110), closed: run(111) }, runs), { first: "110", last: "110" });
});

test("while it goes on, to the newest; one that lasts long is not left out as a whole", () => {
  assert.deepEqual(firstRange({ onset: run(127), closed: null }, runs), { first: "127", last: "130" });
  assert.deepEqual(firstRange({ onset: run(110), closed: null }, runs), { first: "110", last: "110" });
  assert.deepEqual(firstRange({ onset: run(103), closed: run(129) }, runs), { first: "103", last: "103" });
});

test("nothing is offered before the runs are known; of one that is gone, itself", () => {
  assert.equal(firstRange({ onset: run(110), closed: null }, undefined), null);
  assert.deepEqual(firstRange({ onset: run(7), closed: null }, runs), { first: "7", last: "7" });
});
