// What Explore reads from an address, and what drawings are made of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { h } from "preact";
import { dayAfter, labelSlices, modelsAddress, readAsked, readMeasure, writeMeasure } from "../src/lib/explore";
import { GROUP_METRICS, groupName, groupStyles, pointsOf } from "../src/lib/history";
import { binOf, extent, linearTicks, logTicks, median, place, ratioBins } from "../src/lib/plot";
import { svgText } from "../src/lib/svg_text";
import type { HistoryGroup, HistoryPoint } from "../src/api/types";

test("an address without anything asks what the first preset asks", () => {
  const asked = readAsked(new URLSearchParams());
  assert.equal(asked.view, "lines");
  assert.deepEqual(asked.measure, { kind: "group", key: "geomean" });
  assert.deepEqual(asked.by, ["backend", "test"]);
  assert.deepEqual(
    [asked.x, asked.y],
    [
      { metric: "speedup", end: "before" },
      { metric: "speedup", end: "after" },
    ],
  );
});

test("nonsense in an address becomes what is usual", () => {
  const asked = readAsked(
    new URLSearchParams(
      "view=pie&metric=no.such&by=colour,test,test,suite,backend&runs=9999&span=0&since=yesterday&until=2025-13-45x&x=weight.sometimes&of=mass",
    ),
  );
  assert.equal(asked.view, "lines");
  assert.deepEqual(asked.measure, { kind: "group", key: "geomean" });
  assert.deepEqual(asked.by, ["test", "suite"], "known ones, each once, two at most");
  assert.deepEqual([asked.runs, asked.span, asked.since, asked.until, asked.of], ["60", "7", "", "", "steady"]);
  assert.deepEqual(asked.x, { metric: "steady", end: "after" });
  assert.deepEqual(readAsked(new URLSearchParams("by=none")).by, []);
});

test("a number's name reads back", () => {
  for (const text of ["geomean", "each.speedup", "metric.total_time", "out_of_memory"])
    assert.equal(writeMeasure(readMeasure(text)), text);
  const asked = readAsked(new URLSearchParams("of=metric.xla_Time.s&x=metric.a.b.before&y=metric..after"));
  assert.equal(asked.of, "metric.xla_Time.s");
  assert.deepEqual(asked.x, { metric: "metric.a.b", end: "before" }, "a metric's name may have dots");
  assert.deepEqual(asked.y, { metric: "steady", end: "after" }, "no metric is called nothing");
  assert.match(modelsAddress(asked, asked.of), /[?&]metric=xla_Time\.s&/);
});

test("the last day of a span belongs to it", () => {
  assert.equal(dayAfter("2024-02-28"), "2024-02-29");
  assert.equal(dayAfter("2025-12-31"), "2026-01-01");
});

const point = (passing: number, total: number): HistoryPoint => ({
  passing,
  failing: 0,
  undecided: 0,
  unverified: total - passing,
  stale: 0,
  verifiable: total,
  total,
  timed: total,
  failed: 0,
  outcomes: { timed: total, wrong: 0, crashed: 0, timed_out: 0, out_of_memory: 0, raised: 0, skipped: 0, not_timed: 0 },
  geomean: { all: { value: 0.5, interval: null, n: 1 }, matched: { value: null, interval: null, n: 0 } },
  compile: null,
  steady: null,
});
const group = (backend: string, points: (HistoryPoint | null)[]): HistoryGroup => ({
  suite: null,
  test: "eval",
  backend,
  column: null,
  steady_set: { n: 0, of: 1 },
  points,
});

test("what a run does not have is no point, and never 0", () => {
  const one = group("inductor", [point(3, 4), null, point(0, 4)]);
  const of = (key: string) =>
    pointsOf(one, GROUP_METRICS.find((metric) => metric.key === key) as (typeof GROUP_METRICS)[number]).map(
      (value) => value?.value ?? null,
    );
  assert.deepEqual(of("passing"), [3, null, null], "nothing verified is not nothing passing");
  assert.deepEqual(of("pass_rate"), [75, null, null]);
  assert.deepEqual(of("has_timings"), [4, null, 4]);
  assert.deepEqual(of("geomean"), [0.5, null, 0.5]);
  assert.deepEqual(of("matched"), [null, null, null]);
  assert.deepEqual(of("compile"), [null, null, null]);
  assert.deepEqual(of("level"), [null, null, null]);
});

test("a backend keeps its colour where only backends are told apart", () => {
  const groups = [group("inductor", []), group("openxla+dynamo", [])];
  assert.deepEqual(
    groupStyles(groups, ["backend"]).map(({ color, name }) => [color, name]),
    [
      ["#0072b2", "inductor"],
      ["#d55e00", "openxla+dynamo"],
    ],
  );
  assert.equal(groupName(groups[0] as HistoryGroup, ["test", "backend"]), "inference · inductor");
  assert.equal(groupName(groups[0] as HistoryGroup, []), "all results");
  assert.equal(new Set(groupStyles(groups, ["test", "backend"]).map(({ color }) => color)).size, 2);
});

test("ticks are round, inside, and of logarithms too", () => {
  assert.deepEqual(linearTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(linearTicks(0.71, 0.79, 4), [0.72, 0.74, 0.76, 0.78]);
  assert.deepEqual(logTicks(0.1, 1000, 8), [0.1, 1, 10, 100, 1000]);
  assert.deepEqual(logTicks(0.9, 12, 6), [1, 2, 5, 10]);
  assert.deepEqual(linearTicks(1, 1, 4), []);
  assert.deepEqual(logTicks(0, 1, 4), []);
});

test("an extent holds its values, and is one even of none", () => {
  assert.deepEqual(extent([], false), { low: 0, high: 1 });
  assert.deepEqual(extent([0, 0], false), { low: 0, high: 1 }, "nothing is below 0");
  assert.equal(extent([3, 100], false).low, 0, "near enough to 0 to begin there");
  const { low, high } = extent([5, 5], false);
  assert.ok(low < 5 && high > 5);
  const log = extent([0, -1, 2, 8, NaN], true);
  assert.ok(log.low > 0 && log.low < 2 && log.high > 8);
  assert.equal(place({ low: 1, high: 100, log: true, from: 0, to: 200 }, 10), 100);
});

test("bins have an edge at no change and hold every ratio once", () => {
  const ratios = [0.5, 0.97, 0.995, 1, 1.004, 1.02, 1.1, 30];
  const bins = ratioBins(ratios);
  assert.ok(bins.some((bin) => Math.abs(bin.low - 1) < 1e-12));
  assert.ok(bins.length <= 44);
  for (const ratio of ratios) {
    const bin = bins[binOf(bins, ratio)];
    assert.ok(bin, String(ratio));
    if (bin.open === "")
      assert.ok(
        ratio >= bin.low * (1 - 1e-9) && ratio < bin.high * (1 + 1e-9),
        `${ratio} in ${bin.low} to ${bin.high}`,
      );
  }
  assert.deepEqual(ratioBins([]), []);
  assert.deepEqual(ratioBins([NaN, 0, -1, Infinity]), []);
  assert.ok(ratioBins([1]).length > 1);
  assert.equal(binOf([], 1), -1);
});

test("the median of nothing is none", () => {
  assert.equal(median([]), null);
  assert.equal(median([3, 1]), 2);
});

test("a file's names are text, and nothing in it is markup or no character of XML", () => {
  const name = `<script>alert(1)</script>&"\u0000\ud800`;
  const text = svgText(
    h("svg", { "data-x": name, onClick: () => 1, class: "left out" }, [h("text", null, name), null, false, 3]),
  );
  assert.equal(
    text,
    `<svg data-x="&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;\ufffd\ufffd"><text>&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;\ufffd\ufffd</text>3</svg>`,
  );
  assert.equal(svgText(h("g", { "data-href": "/models" }, h("circle", { r: 2 }))), `<g><circle r="2"></circle></g>`);
  const Part = ({ n }: { n: number }) => h("g", null, n);
  assert.equal(svgText(h(Part, { n: 2 })), "<g>2</g>");
});

test("labels that tell kinds of runs apart are slices, those that name each run are not", () => {
  const runs = Array.from({ length: 30 }, (_, night) => ({
    labels: { commit: `c${night}`, pytorch: night < 9 ? "2.8" : "2.9", branch: night % 2 ? "dev" : "main" },
  }));
  assert.deepEqual(labelSlices(runs), ["branch:dev", "branch:main", "pytorch:2.8", "pytorch:2.9"]);
  assert.deepEqual(labelSlices([]), []);
});
