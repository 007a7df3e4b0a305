// Where marks of nights stand in a chart, and in which words.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mark } from "../src/api/types";
import { markWords, placedMarks } from "../src/lib/marks";

const mark = (kind: Mark["kind"], reason = ""): Mark => ({
  kind,
  reason,
  who: "",
  token: null,
  at: "2025-11-12T08:00:00Z",
});

test("a new environment begins between two nights, a pinned night is itself, one that does not count reaches half-way", () => {
  const placed = placedMarks(
    [[], [mark("environment", "driver 550")], [mark("pinned")], [mark("excluded", "disk full")]],
    [0, 10, 20, 30],
  );
  assert.deepEqual(placed, [
    { kind: "environment", from: 5, to: 5, label: "driver 550" },
    { kind: "pinned", from: 20, to: 20, label: "pinned" },
    { kind: "excluded", from: 25, to: 35, label: "" },
  ]);
});

test("the first night, the only night, and several marks of one", () => {
  assert.deepEqual(placedMarks([[mark("environment")]], [86400]), [
    { kind: "environment", from: 43200, to: 43200, label: "environment" },
  ]);
  assert.deepEqual(placedMarks([[], []], [1, 2]), []);
  assert.equal(placedMarks([[mark("excluded"), mark("pinned")], []], [1, 2]).length, 2);
  assert.deepEqual(placedMarks([], [1, 2]), [], "an older server says nothing of marks");
});

test("long reasons are cut in the chart, and whole in words", () => {
  const reason = "x".repeat(300);
  assert.equal(placedMarks([[mark("pinned", reason)]], [1])[0]?.label.length, 28);
  assert.equal(markWords(mark("excluded", reason)), `does not count: ${reason}`);
  assert.equal(markWords(mark("environment")), "another environment from here on");
});
