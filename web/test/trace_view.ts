import assert from "node:assert/strict";
import { test } from "node:test";
import {
  axisOf,
  clampView,
  endOf,
  fit,
  fitAll,
  levelOf,
  panBy,
  tileSpan,
  tilesOf,
  timeOf,
  topLevel,
  xOf,
  zoomAt,
} from "../src/trace/view";
import { exactPlace, placeText, spanText } from "../src/trace/time";

const END = 1_240_000_000;
const near = (a: number, b: number, what?: string) =>
  assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)), `${what ?? ""} ${a} ≠ ${b}`);

test("what is under the pointer stays there while one zooms", () => {
  let view = { begin: 400_000_000, nsPerPx: 50_000, width: 1200 };
  for (const [factor, x] of [
    [1.5, 300],
    [8, 900],
    [0.7, 10],
    [40, 600],
    [0.5, 1199],
  ] as const) {
    const time = timeOf(view, x);
    view = zoomAt(view, factor, x, END);
    near(timeOf(view, x), time, `factor ${factor}`);
  }
});

test("a view shows nothing but the trace, and its edges", () => {
  const all = fitAll(1000, END);
  near(xOf(all, 0), 24);
  near(xOf(all, END), 976);
  assert.deepEqual(clampView({ ...all, nsPerPx: 1e30 }, END), all);
  near(panBy(all, -1e9, END).begin, all.begin, "nothing to pan where all is seen");
  near(panBy(all, 1e9, END).begin, all.begin, "nor to the right");
  const close = zoomAt(all, 1e12, 500, END);
  near(close.nsPerPx, 1 / 64, "a nanosecond is at most so wide");
  near(xOf(panBy(close, 1e15, END), END), 976);
  near(xOf(panBy(close, -1e15, END), 0), 24);
});

test("what is fitted stands in the middle with a margin", () => {
  const view = fit({ begin: 1000, end: 3000 }, 1100, END);
  near(xOf(view, 1000), 50);
  near(xOf(view, 3000), 1050);
  const moment = fit({ begin: 5000, end: 5000 }, 1000, END);
  near(xOf(moment, 5000), 500, "what has no length too");
  near(endOf(fit({ begin: 0, end: END }, 1000, END)), endOf(fitAll(1000, END)), "more than all is all");
});

test("a bucket is a pixel wide, or less than two of them", () => {
  for (const nsPerPx of [0.02, 1, 1.9, 2, 1000, 123_456]) {
    const bucket = 2 ** levelOf(nsPerPx);
    assert.ok(bucket <= Math.max(1, nsPerPx) && bucket * 2 > nsPerPx, `${nsPerPx}`);
  }
  assert.equal(levelOf(1000, 2), levelOf(1000) + 1);
  assert.equal(tileSpan(topLevel(END)) > END && tileSpan(topLevel(END) - 1) <= END, true);
});

test("tiles of a window are those that it touches", () => {
  assert.deepEqual(tilesOf({ begin: -50, end: 1023 }, 0, END), { first: 0, last: 0 });
  assert.deepEqual(tilesOf({ begin: 1023, end: 1024 }, 0, END), { first: 0, last: 1 });
  assert.deepEqual(tilesOf({ begin: END - 1, end: END * 2 }, 10, END), {
    first: Math.floor((END - 1) / 2 ** 20),
    last: Math.floor(END / 2 ** 20),
  });
});

test("the axis says places with their unit, and from a base where they are long", () => {
  const all = axisOf(fitAll(1000, END));
  assert.equal(all.base, null);
  assert.deepEqual(all.ticks.map((one) => one.text).slice(0, 3), ["0 s", "0.2 s", "0.4 s"]);
  const deep = axisOf({ begin: 1_234_567_890, nsPerPx: 0.1, width: 1000 });
  assert.equal(deep.base?.text, "1.23456790 s");
  assert.deepEqual(
    deep.ticks.map((one) => one.text),
    ["+20 ns", "+40 ns", "+60 ns", "+80 ns"].slice(0, deep.ticks.length),
  );
  assert.ok(deep.ticks.length >= 3);
});

test("times in words", () => {
  assert.deepEqual([0, 12, 999, 1234, 45_600_000, 2_500_000_000].map(spanText), [
    "0 ns",
    "12 ns",
    "999 ns",
    "1.23 µs",
    "45.6 ms",
    "2.50 s",
  ]);
  assert.equal(placeText(340_125_000, 1000), "340.125 ms");
  assert.equal(placeText(1_240_000_000, 1e8), "1.2 s");
  assert.equal(placeText(-5, 1), "\u22125 ns");
  assert.deepEqual([463_574_000, 2_000_000_000, 1_000_000_001, 7].map(exactPlace), [
    "463.574 ms",
    "2 s",
    "1.000000001 s",
    "7 ns",
  ]);
});
