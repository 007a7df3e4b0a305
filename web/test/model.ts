import assert from "node:assert/strict";
import { test } from "node:test";
import type { Experiment, RunRef, Series } from "../src/api/types";
import { failedNights } from "../src/parts/model_sections";
import { standing } from "../src/parts/history";
import { differing, settings } from "../src/parts/night_facts";

const runs = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"].map(
  (day, id) =>
    ({
      id,
      name: day,
      accelerator_model: "A100",
      started_at: `${day}T00:00:00Z`,
      verified_at: null,
      labels: {},
    }) as unknown as RunRef,
);
const codes = (...all: (string | null)[]) => ({
  codes: all.map((code) => (code === null ? null : { code: code.replace("~", ""), stale: code.startsWith("~") })),
});

test("what verification says now, and since which night every one of it has said so", () => {
  assert.equal(standing(runs, codes(null, null, null, null)), null);
  assert.deepEqual(standing(runs, codes("PASS", "~PASS", "PASS", "~PASS")), {
    code: "PASS",
    stale: true,
    words: "in all of 2 verifications",
  });
  assert.deepEqual(standing(runs, codes("PASS", "FAIL", "~FAIL", "FAIL")), {
    code: "FAIL",
    stale: false,
    words: "since 2026-01-02, 2 verifications",
  });
  assert.deepEqual(
    standing(runs, codes("FAIL", "PASS", "FAIL", null)),
    { code: "FAIL", stale: false, words: "since 2026-01-03, 1 verification" },
    "not since a FAIL before a PASS",
  );
  assert.deepEqual(standing(runs, codes("~PASS", "~PASS", "~PASS", "~PASS")), {
    code: "PASS",
    stale: true,
    words: "from before these runs",
  });
});

test("failed nights: a row an error of a backend, what failed last first", () => {
  const series = (id: number, ...failures: (string | null)[]) =>
    ({ experiment: { id }, failures }) as unknown as Series;
  const groups = failedNights([
    series(1, "a", "a", null, null),
    series(2, null, "a", "b", "a"),
    series(3, null, null, null, null),
  ]);
  assert.deepEqual(
    groups.map((one) => [one.series.experiment.id, one.signature, one.nights]),
    [
      [2, "a", [1, 3]],
      [2, "b", [2]],
      [1, "a", [0, 1]],
    ],
  );
});

test("labels that differ between nights, and those that only one of them has", () => {
  assert.deepEqual(
    differing({ commit: "a", branch: "main", host: "x" }, { commit: "b", branch: "main", driver: "550" }),
    ["commit", "driver", "host"],
  );
  assert.deepEqual(differing({}, {}), []);
});

test("settings: what is set, whatever it is", () => {
  const experiment = {
    batch_size: 0,
    dynamo: "inductor",
    xla: null,
    torch_xla2: null,
    xla_flags: "",
    flags: { keep: true, name: "<b>", none: null, list: [1] },
  } as unknown as Experiment;
  assert.deepEqual(settings(experiment), [
    ["batch size", "0"],
    ["dynamo", "inductor"],
    ["keep", "true"],
    ["name", "<b>"],
    ["list", "[1]"],
  ]);
});
