import assert from "node:assert/strict";
import { test } from "node:test";
import type { TraceReport } from "../src/api/trace";
import { costsOf, deviceUse } from "../src/trace/costs";
import type { Pen } from "../src/trace/draw";
import { sizeWords } from "../src/trace/info";
import { busyShare, deviceTitle } from "../src/trace/devices";
import { type Finding, type Findings, drawMarks, findingAt, goToMark, markCounts } from "../src/trace/marks";
import { profileRow } from "../src/trace/profile_row";
import { xOf } from "../src/trace/view";
import { trackOf, viewerOf } from "./support_viewer";

const finding = (kind: Finding["kind"], begin: number, end: number, words = ""): Finding => ({
  kind,
  thread: 1,
  begin,
  end,
  duration: end - begin,
  cause: null,
  words,
});

const kindOf = (
  kind: Finding["kind"],
  count: number,
  first: Finding | null = null,
  kept = count,
): Findings["kinds"][number] => ({ kind, count, kept, first });

test("marks are counted beyond those that are loaded, which is said, and lead to the first and to the longest", () => {
  const first = finding("long_launch_delay", 10, 150_010, "the first delay");
  const items = [
    finding("long_launch_delay", 5000, 205_000),
    finding("step", 6000, 7000),
    finding("long_launch_delay", 8000, 908_000, "the longest delay"),
    finding("long_launch_delay", 9000, 309_000),
  ];
  const kinds = [kindOf("step", 1, items[1]), kindOf("long_launch_delay", 5932, first)];
  const viewer = viewerOf([trackOf(1)]);
  viewer.setFindings({ items, kinds });
  assert.deepEqual(markCounts(viewer.loadedMarks, kinds), [
    { kind: "step", words: "1 step", kept: "", hasFirst: true },
    {
      kind: "long_launch_delay",
      words: "5,932 long launch delays",
      kept: "the longest 3 are marked, all of 200 µs or more",
      hasFirst: true,
    },
  ]);
  goToMark(viewer, "long_launch_delay", "longest");
  assert.ok(viewer.marks.has("long_launch_delay"));
  assert.equal(viewer.spoken, "the longest delay");
  goToMark(viewer, "long_launch_delay", "first");
  assert.equal(viewer.spoken, "the first delay");
  assert.deepEqual(
    viewer.findings.map((one) => one.begin),
    [10, 5000, 6000, 8000, 9000],
    "the first can be drawn too",
  );
});

test("what a list has loaded is marked as well, and the first only once", () => {
  const all = Array.from({ length: 5 }, (_, n) => finding("step", 1000 * n, 1000 * n + 900 - n));
  const viewer = viewerOf([trackOf(1)]);
  viewer.setListedMarks("step", all.slice(0, 4));
  viewer.setFindings({ items: all.slice(0, 2), kinds: [kindOf("step", 5, all[0])] });
  assert.equal(viewer.findings.length, 4);
  assert.equal(
    markCounts(viewer.loadedMarks, viewer.findingKinds)[0]?.kept,
    "the longest 4 are marked, all of 897 ns or more",
  );
  viewer.setListedMarks("step", all);
  assert.equal(viewer.findings.length, 5);
  assert.equal(markCounts(viewer.loadedMarks, viewer.findingKinds)[0]?.kept, "");
});

test("where an older program left marks out, none is called the first", () => {
  const viewer = viewerOf([trackOf(1)]);
  viewer.setFindings({ items: [finding("step", 6000, 7000)], kinds: [kindOf("step", 1500, null, 1)] });
  assert.equal(markCounts(viewer.loadedMarks, viewer.findingKinds)[0]?.hasFirst, false);
});

test("of thousands of marks in sight the last ones are drawn as well, and no pixel twice", () => {
  const viewer = viewerOf([trackOf(1)], [], 1_000_000);
  viewer.resize(1000, 200);
  const lines: number[] = [];
  const pen = {
    fillRect: (x: number, _y: number, width: number) => width === 1 && lines.push(x),
    fillText: () => {},
    measureText: () => ({ width: 5 }),
  } as unknown as Pen;
  const findings = Array.from({ length: 5000 }, (_, n) => finding("long_launch_delay", 200 * n, 200 * n + 100));
  drawMarks(pen, viewer.sight, findings, "light");
  assert.equal(lines[lines.length - 1], Math.round(xOf(viewer.view, 200 * 4999)));
  assert.equal(new Set(lines).size, lines.length);
  assert.ok(lines.length > 800 && lines.length <= 1000, `${lines.length}`);
});

test("what the timeline lacks is said with how large the trace is, and what is not known is called so", () => {
  const words = (tracksLeftOut: number, countersLeftOut: number | null, counters = 10_000) =>
    sizeWords({ ...viewerOf([trackOf(1)]).info, counters: Array(counters).fill(null), tracksLeftOut, countersLeftOut });
  assert.equal(words(0, 0), "1 event on 1 track in 1.00 ms");
  assert.equal(words(1, 5), "1 event on 1 track in 1.00 ms, without 1 more track and 5 more counters");
  assert.equal(words(0, 1), "1 event on 1 track in 1.00 ms, without 1 more counter");
  assert.equal(words(0, null), "1 event on 1 track in 1.00 ms, without an unknown number of counters beyond 10,000");
  assert.equal(words(0, null, 0), "1 event on 1 track in 1.00 ms", "not indexed yet");
  assert.equal(words(0, 1_000_000), "1 event on 1 track in 1.00 ms, without 1,000,000 more counters, or still more");
});

const advice = (code: string, severity: string, numbers: Record<string, number>) => ({
  code,
  severity,
  sentence: `About ${code}.`,
  numbers,
});
const reportOf = (busy: number | null, list: object[], more: object = {}) =>
  ({
    cannot_tell: { device: null, launches: null },
    device: { utilization: busy, utilization_of_steps: busy },
    graph_breaks: { breaks: 2 },
    recompilation: { recompiles: 3 },
    advice: list,
    ...more,
  }) as unknown as TraceReport;
const costWords = (report: TraceReport) => costsOf(report).map(({ words, mark }) => [words, mark]);

test("a busy device is no trouble, however many launches wait; an idle one is, and is said with what the host does meanwhile", () => {
  const ofHost = [
    advice("launch_overhead", "hint", { share: 0.554 }),
    advice("short_kernels", "hint", { share: 0.6 }),
    advice("synchronizations", "note", { calls: 61, share: 0.09 }),
    advice("launch_queue_full", "note", { full_ns: 5 }),
  ];
  const busy = reportOf(0.984, ofHost);
  assert.deepEqual(costsOf(busy), []);
  assert.equal(deviceUse(busy)?.words, "device busy 98.4 % of the steps");
  const idle = reportOf(0.576, [advice("cpu_bound", "hint", { busy_share: 0.576 }), ...ofHost]);
  assert.equal(deviceUse(idle), null, "said once");
  assert.deepEqual(costWords(idle), [
    ["device idle 42.4 % of the steps, waiting for the host", "idle_host_wait"],
    ["55.4 % of launches longer than what they launch", null],
    ["60.0 % of kernels under 10 µs", null],
    ["61 synchronizations, 9.0 % of the trace", "synchronization"],
  ]);
});

test("what a report says beside the device is said too, of another version by its code, and what is not known is called so", () => {
  const report = reportOf(
    null,
    [
      advice("graph_breaks", "hint", {}),
      advice("recompiled_frames", "hint", {}),
      advice("pageable_copies", "hint", { copies: 1, share: 0.061 }),
      advice("impossible_times", "warning", { set_aside: 2 }),
      advice("cuda_graphs_old_driver", "note", {}),
      advice("new_advice", "warning", {}),
      advice("new_note", "note", {}),
    ],
    { cannot_tell: { device: "No slice is a device's.", launches: null } },
  );
  assert.deepEqual(costWords(report), [
    ["2 graph breaks", "graph_break"],
    ["3 recompilations", "recompile"],
    ["1 copy of pageable memory, 6.1 % of the device's busy time", "pageable_copy"],
    ["2 slices of devices with impossible times", null],
    ["CUDA graphs with a driver that is too old to profile them safely", null],
    ["new advice", null],
  ]);
  assert.deepEqual(deviceUse(report), { words: "device use unknown", why: "No slice is a device's." });
  assert.equal(deviceUse(reportOf(null, [])), null, "a trace without devices");
});

test("a slice leads to the row of its name, where the profile has one", () => {
  const report = {
    kernels: { by_name: [{ name: "gemm" }] },
    operators: { by_name: [{ name: "aten::mm" }] },
  } as unknown as TraceReport;
  assert.deepEqual(profileRow(report, "gemm", "device"), { section: "device", query: { kernel: "gemm" } });
  assert.deepEqual(profileRow(report, "aten::mm", "host"), { section: "operators", query: { slice: "aten::mm" } });
  assert.equal(profileRow(report, "gemm", "host"), null, "not on this side");
  assert.equal(profileRow(report, "beyond what is listed", "device"), null);
  assert.equal(
    profileRow({ ...report, operators: undefined } as unknown as TraceReport, "aten::mm", "host"),
    null,
    "an older report",
  );
});

test("a gap of a device is found where the device is drawn as a whole, whatever track ends it, and not on that track", () => {
  const device = {
    device: 0,
    thread: 1,
    begin: 0,
    end: 1000,
    busy: 400,
    gaps: 2,
    idle: { host_wait: 500, kernel_wait: 0, other: 0, unknown: 100 },
  };
  assert.equal(busyShare(device), "40.0 %");
  assert.equal(
    deviceTitle(device),
    "busy 400 ns of 1.00 µs, from its first slice to its last\nidle 600 ns in 2 gaps:\n500 ns waits for the host\n100 ns not known",
  );
  const viewer = viewerOf([trackOf(1, { side: "device" }), trackOf(2, { side: "device" })]);
  const gap = { ...finding("device_idle", 100, 300), thread: 2 };
  viewer.setFindings({ items: [gap], kinds: [kindOf("device_idle", 1, gap)] });
  viewer.toggleMarks("device_idle", true);
  assert.equal(findingAt(viewer, [1, 2], 200, true), gap);
  assert.equal(findingAt(viewer, [2], 200, false), null);
  assert.equal(findingAt(viewer, [1, 2], 301, true), null);
});
