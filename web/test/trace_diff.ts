import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sums, SumsRow } from "../src/trace/area";
import { joined } from "../src/trace/diff";

const row = (key: string, count: number, self: number, more: Partial<SumsRow> = {}): SumsRow => ({ key, label: 1, category: "cpu_op", class: "operator", thread: null, count, total_ns: 2 * self, self_ns: self, min_ns: 1, max_ns: 9, ...more });
/** `beyond`: self time of what is not listed. */
const sums = (rows: SumsRow[], beyond = 0): Sums => ({ all: { count: 1, total_ns: 1, self_ns: rows.reduce((sum, one) => sum + one.self_ns, beyond), min_ns: 1, max_ns: 1 }, rows, left_out: beyond ? 7 : 0 });

test("names of two traces are laid beside each other, the largest change first", () => {
  const { rows, before, after } = joined(sums([row("aten::mm", 3, 100), row("gone", 1, 40), row("same", 2, 7), row("aten::mm", 1, 5, { category: "kernel" })]), sums([row("same", 9, 7), row("aten::mm", 4, 300), row("new", 1, 20)]));
  assert.deepEqual(rows.map((one) => [one.key, one.delta]), [["aten::mm", 195], ["gone", -40], ["new", 20], ["same", 0]]);
  assert.deepEqual(rows[0]?.before, { count: 4, self: 105, total: 210 }, "of several categories the sum");
  assert.deepEqual([rows[1]?.after, rows[2]?.before], [null, null]);
  assert.deepEqual([before, after], [152, 327]);
});

test("the profiler's own spans are no difference", () => {
  assert.deepEqual(joined(sums([row("PyTorch Profiler (0)", 1, 1e9, { class: "profiler" })]), sums([])), { rows: [], before: 0, after: 0, leftOut: { before: 0, after: 0 } });
});

test("what is not listed is in the sums, and said to be left out", () => {
  const { before, after, leftOut } = joined(sums([row("a", 1, 10), row("PyTorch Profiler (0)", 1, 500, { class: "profiler" })], 90), sums([row("a", 1, 10)]));
  assert.deepEqual([before, after, leftOut], [100, 10, { before: 7, after: 0 }]);
});
