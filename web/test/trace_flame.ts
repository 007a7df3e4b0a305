import assert from "node:assert/strict";
import { test } from "node:test";
import { valueAt } from "../src/trace/events";
import { boxAt, boxesCsv, boxesOf, depthOf, nodesOf } from "../src/trace/flame_layout";

test("boxes are as wide as their time, and lie within what they are called by", () => {
  const nodes = nodesOf({
    rows: [
      [1, 0, null, 2, 60, 20],
      [2, 1, 0, 4, 30, 30],
      [3, 1, 0, 1, 10, 10],
      [4, 0, null, 1, 40, 40],
    ],
    left_out: 0,
  });
  const boxes = boxesOf(nodes);
  assert.deepEqual(
    boxes.map(({ node, from, to, depth }) => [node.label, Math.round(from * 100), Math.round(to * 100), depth]),
    [
      [1, 0, 60, 0],
      [2, 0, 30, 1],
      [3, 30, 40, 1],
      [4, 60, 100, 0],
    ],
  );
  assert.equal(depthOf(boxes), 2);
  assert.equal(boxAt(boxes, 0.35, 1)?.node.label, 3);
  assert.equal(boxAt(boxes, 0.5, 1), null, "time of its own has nothing below it");
  assert.equal(boxAt(boxes, 0.99, 0)?.node.label, 4);
  assert.deepEqual(boxesOf([]), []);
});

test("a counter keeps its value until the next one", () => {
  const window = { before: 7, at: [10, 20, 30], min: [1, 2, 3], max: [1, 2, 3], last: [1, 2, 3] };
  assert.deepEqual(
    [0, 10, 19, 20, 99].map((time) => valueAt(window, time)),
    [7, 1, 1, 2, 3],
  );
  assert.equal(valueAt({ ...window, before: null }, 5), null);
});

test("a box of several slices has no name of its own in the table, but that of its longest slice", () => {
  const item = { track: 0, row: 1, label: 0, begin: 5, end: 25, busy: 15, slice: { track: 0, chunk: 0, index: 0 } };
  const csv = boxesCsv(
    [
      { ...item, count: 1 },
      { ...item, count: 3 },
    ],
    () => "mm",
  );
  assert.deepEqual(csv.trim().split(/\r?\n/), [
    "row,name,longest_name,slices,begin_ns,duration_ns,busy_ns",
    "2,mm,,1,5,20,15",
    "2,,mm,3,5,20,15",
  ]);
});
