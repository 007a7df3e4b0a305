import assert from "node:assert/strict";
import { test } from "node:test";
import type { SumsOfAllTracks, SumsRow } from "../src/trace/area";
import { type DiffRow, joined } from "../src/trace/diff";
import { besideHref, relativeWords } from "../src/trace/differences";

const row = (key: string, count: number, self: number, more: Partial<SumsRow> = {}): SumsRow => ({
  key,
  label: 1,
  category: "cpu_op",
  class: "operator",
  thread: null,
  track: null,
  count,
  total_ns: 2 * self,
  self_ns: self,
  work_ns: self,
  min_ns: 1,
  max_ns: 9,
  ...more,
});
/** `beyond`: self time of what is not listed. */
const sums = (rows: SumsRow[], beyond = 0): SumsOfAllTracks => {
  const all = (of: (one: SumsRow) => number) => rows.reduce((sum, one) => sum + of(one), beyond);
  return {
    all: {
      count: 1,
      total_ns: 1,
      self_ns: all((one) => one.self_ns),
      work_ns: all((one) => one.work_ns),
      min_ns: 1,
      max_ns: 1,
    },
    rows,
    left_out: beyond ? 7 : 0,
    cannot_tell: null,
  };
};

test("names of two traces are laid beside each other, the largest change first", () => {
  const { rows, before, after } = joined(
    sums([
      row("aten::mm", 3, 100),
      row("gone", 1, 40),
      row("same", 2, 7),
      row("aten::mm", 1, 5, { category: "kernel" }),
    ]),
    sums([row("same", 9, 7), row("aten::mm", 4, 300), row("new", 1, 20)]),
  );
  assert.deepEqual(
    rows.map((one) => [one.key, one.delta]),
    [
      ["aten::mm", 195],
      ["gone", -40],
      ["new", 20],
      ["same", 0],
    ],
  );
  assert.deepEqual(rows[0]?.before, { count: 4, self: 105, total: 210 }, "of several categories the sum");
  assert.deepEqual([rows[1]?.after, rows[2]?.before], [null, null]);
  assert.deepEqual([before, after], [152, 327]);
});

test("what only contains other slices is no difference: annotations, on the host and on a device, and the profiler's spans", () => {
  const containers = [
    row("PyTorch Profiler (0)", 1, 1e9, { class: "profiler", work_ns: 0 }),
    row("ProfilerStep#3", 1, 400, { class: "annotation", work_ns: 0 }),
    row("forward", 1, 300, { class: "shadow", work_ns: 0 }),
  ];
  assert.deepEqual(joined(sums(containers), sums([])), {
    rows: [],
    before: 0,
    after: 0,
    leftOut: { before: 0, after: 0 },
  });
  const { before } = joined(sums([...containers, row("aten::mm", 1, 10), row("takes no time", 1, 0)]), sums([]));
  assert.equal(before, 10);
});

test("what is not listed is in the sums, and said to be left out", () => {
  const { before, after, leftOut } = joined(
    sums([row("a", 1, 10), row("PyTorch Profiler (0)", 1, 500, { class: "profiler", work_ns: 0 })], 90),
    sums([row("a", 1, 10)]),
  );
  assert.deepEqual([before, after, leftOut], [100, 10, { before: 7, after: 0 }]);
});

test("a change in percent is of the row's own time before", () => {
  const side = (self: number) => ({ count: 1, self, total: self });
  const words = (before: number | null, after: number | null, leftOut = { before: 0, after: 0 }) =>
    relativeWords(
      {
        key: "k",
        before: before === null ? null : side(before),
        after: after === null ? null : side(after),
        delta: 0,
      } as DiffRow,
      leftOut,
    );
  assert.equal(words(2, 3), "+50.0");
  assert.equal(words(4, 3), "\u221225.0");
  assert.deepEqual([words(5, 5), words(0, 0)], ["0", "0"]);
  assert.deepEqual([words(null, 3), words(0, 3), words(3, null)], ["new", "new", "gone"]);
  assert.equal(words(null, 3, { before: 7, after: 0 }), null, "it may be too short for the list");
  assert.equal(words(3, null, { before: 0, after: 7 }), null);
  assert.equal(words(2, 3, { before: 7, after: 7 }), "+50.0");
});

test("of two traces the one before stands above, with its differences", () => {
  assert.equal(besideHref(3, 8), "/trace/3?with=8&tab=diff");
  assert.equal(besideHref(3, 8, -250), "/trace/3?with=8&tab=diff&by_shift=-250");
});
