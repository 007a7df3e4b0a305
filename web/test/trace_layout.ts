import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CLOSED_ROW_PX,
  HEAD_PX,
  type HeadLane,
  type Lane,
  NO_LAYOUT,
  ROW_PX,
  firstOpen,
  laneAt,
  lanesIn,
  lay,
  moreKey,
  rowAt,
  rowTop,
  sectionKey,
  sectionWords,
  sections,
  trackTitle,
} from "../src/trace/layout";
import type { TraceDevice } from "../src/trace/info";
import type { Track } from "../src/trace/types";

function laneText(lane: Lane): string {
  if (lane.kind === "head") return `# ${lane.section.title}`;
  if (lane.kind === "counter") return lane.counter.name;
  if (lane.kind === "busy") return `busy of ${lane.device.device}`;
  if (lane.kind === "more") return `${lane.isOpen ? "−" : "+"}${lane.more}`;
  return trackTitle(lane.track);
}

let next = 0;
const useOf = (number: number, thread: number): TraceDevice => ({
  device: number,
  thread,
  begin: 0,
  end: 100,
  busy: 60,
  gaps: 2,
  idle: { host_wait: 30, kernel_wait: 10, other: 0, unknown: 0 },
});
const track = (more: Partial<Track>): Track => ({
  number: next++,
  pid: "1",
  tid: "1",
  process: "",
  processLabels: "",
  name: "",
  side: "other",
  isAsync: false,
  isDerived: false,
  processSort: null,
  threadSort: null,
  slices: 1,
  rows: 1,
  span: { begin: 0, end: 1 },
  busy: 0,
  points: 0,
  ...more,
});
const names = (tracks: Track[]) => sections(tracks).map((one) => [one.title, one.tracks.map(trackTitle)]);

test("PyTorch on a GPU: the devices with their streams, then the host's process with its threads, whatever numbers the file gives them", () => {
  const tracks = [
    track({
      pid: "71053",
      tid: "71053",
      process: "python",
      processLabels: "CPU",
      name: "thread 71053 (python)",
      processSort: 71053,
      threadSort: 71053,
      busy: 50,
      side: "host",
    }),
    track({
      pid: "71053",
      tid: "80000",
      process: "python",
      processLabels: "CPU",
      name: "thread 80000 (pt_autograd_0)",
      processSort: 71053,
      threadSort: 80000,
      busy: 90,
      side: "host",
    }),
    track({
      pid: "0",
      tid: "20",
      process: "python",
      processLabels: "GPU 0",
      name: "stream 20",
      processSort: 5_000_000,
      threadSort: 20,
      side: "device",
    }),
    track({
      pid: "0",
      tid: "7",
      process: "python",
      processLabels: "GPU 0",
      name: "stream 7",
      processSort: 5_000_000,
      threadSort: 7,
      side: "device",
    }),
    track({
      pid: "1",
      tid: "7",
      process: "python",
      processLabels: "GPU 1",
      name: "stream 7",
      processSort: 5_000_001,
      threadSort: 7,
      slices: 0,
    }),
    track({
      pid: "Spans",
      tid: "PyTorch Profiler",
      process: "Spans",
      name: "PyTorch Profiler (0)",
      processSort: 536_870_912,
      threadSort: 536_870_912,
    }),
  ];
  assert.deepEqual(names(tracks), [
    ["GPU 0", ["stream 7", "stream 20"]],
    ["python", ["thread 80000 (pt_autograd_0)", "thread 71053 (python)"]],
    ["Spans", ["PyTorch Profiler (0)"]],
  ]);
});

test("XProf: a section for each TPU, its SparseCores below it, then GPUs and the host", () => {
  const tpu = (name: string) => track({ pid: "3", tid: name, process: "/device:TPU:0", name });
  const wanted = [
    "Steps",
    "XLA Modules",
    "XLA Ops",
    "XLA TraceMe",
    "Framework Ops",
    "Framework Name Scope",
    "Source code",
    "Scalar unit",
    "TensorCore Sync Flags",
    "Host Offload Ops",
    "Host Offload Ops 2",
  ];
  const tracks = [
    track({ pid: "701", tid: "5", process: "/host:CPU", name: "python" }),
    track({ pid: "4", tid: "1", process: "/device:TPU:0 SparseCore 0", name: "XLA Ops" }),
    ...wanted.slice().reverse().map(tpu),
    track({ pid: "9", tid: "1", process: "/device:TPU:1", name: "XLA Ops" }),
    track({ pid: "10", tid: "2", process: "/device:GPU:0", name: "Stream #20(Compute)" }),
    track({ pid: "10", tid: "1", process: "/device:GPU:0", name: "Stream #3(Memcpy)" }),
    track({ pid: "10", tid: "3", process: "/device:GPU:0", name: "XLA Ops" }),
  ];
  assert.deepEqual(names(tracks), [
    ["GPU 0", ["XLA Ops", "Stream #3(Memcpy)", "Stream #20(Compute)"]],
    ["TPU 0", wanted],
    ["TPU 0 SparseCore 0", ["XLA Ops"]],
    ["TPU 1", ["XLA Ops"]],
    ["/host:CPU", ["python"]],
  ]);
});

test("places that a file gives come first; what has none is last", () => {
  const tracks = [
    track({ process: "b", pid: "2", processSort: 2 }),
    track({ process: "c", pid: "3" }),
    track({ process: "a", pid: "9", processSort: 1, tid: "x", threadSort: 5, busy: 100 }),
    track({ process: "a", pid: "9", processSort: 1, tid: "y", threadSort: 1 }),
  ];
  assert.deepEqual(names(tracks), [
    ["a", ["y", "x"]],
    ["b", ["thread 1"]],
    ["c", ["thread 1"]],
  ]);
});

const host = Array.from({ length: 6 }, (_, n) =>
  track({ tid: String(n), name: `t${n}`, busy: 100 - n, rows: n === 0 ? 10 : 20 }),
);
const device = track({ pid: "0", process: "/device:GPU:0", name: "stream 7", rows: 2 });
const all = sections([...host, device]);

test("devices and the three busiest threads are open at first", () => {
  assert.deepEqual(
    [...firstOpen(all)].sort((a, b) => a - b),
    [...host.slice(0, 3).map((one) => one.number), device.number].sort((a, b) => a - b),
  );
});

test("what is asynchronous stands below the threads, closed at first", () => {
  const lane = (name: string) =>
    track({ process: "python", tid: "async net", name: `async: ${name}`, isAsync: true, busy: 1000, side: "host" });
  const tracks = [
    lane("request 10"),
    lane("request 9"),
    track({ process: "python", name: "thread", busy: 1, side: "host" }),
    track({ process: "python", tid: "PyTorch Profiler", name: "PyTorch Profiler (0)", side: "host" }),
  ];
  assert.deepEqual(names(tracks), [
    ["python", ["thread", "async: request 9", "async: request 10", "PyTorch Profiler (0)"]],
  ]);
  assert.deepEqual([...firstOpen(sections(tracks))], [(tracks[2] as Track).number]);
});

test("what is derived stands above a device's streams, and below a host's threads, closed at first", () => {
  const device = [
    track({ process: "/device:GPU:0", name: "Stream #7", side: "device" }),
    track({ process: "/device:GPU:0", name: "XLA Ops", isDerived: true, side: "device" }),
  ];
  assert.deepEqual(names(device), [["GPU 0", ["XLA Ops", "Stream #7"]]]);
  const host = [
    track({ process: "/host:CPU", name: "XLA Ops", isDerived: true, side: "host" }),
    track({ process: "/host:CPU", name: "main", busy: 1, side: "host" }),
  ];
  assert.deepEqual(names(host), [["/host:CPU", ["main", "XLA Ops"]]]);
  assert.deepEqual([...firstOpen(sections(host))], [(host[1] as Track).number]);
});

test("lanes lie one below the other, and are found by their place", () => {
  const { lanes, height, shown } = lay(all, NO_LAYOUT);
  let top = 0;
  for (const lane of lanes) {
    assert.equal(lane.top, top);
    top += lane.height;
    assert.equal(laneAt(lanes, lane.top), lane);
    assert.equal(laneAt(lanes, lane.top + lane.height - 1), lane);
  }
  assert.equal(height, top);
  assert.equal(shown, 7);
  assert.equal(laneAt(lanes, -1), null);
  assert.equal(laneAt(lanes, height), null);
  assert.deepEqual(lanesIn(lanes, 0, 1), [lanes[0]]);
  assert.deepEqual(lanesIn(lanes, 0, height), lanes);
  assert.equal(lanes[0]?.height, HEAD_PX);
  for (const lane of lanes) {
    if (lane.kind !== "track") continue;
    assert.equal(lane.rowPx, lane.isOpen ? ROW_PX : CLOSED_ROW_PX);
    assert.equal(lane.rows + lane.moreRows, lane.track.rows);
    for (let row = 0; row < lane.rows; ++row) assert.equal(rowAt(lane, rowTop(lane, row)), row);
    assert.equal(rowAt(lane, lane.top), null, "the edge is no row");
  }
});

test("closed, hidden, pinned and filtered", () => {
  const key = sectionKey(all.find((one) => one.side === "host") as (typeof all)[number]);
  const kinds = (state: Partial<typeof NO_LAYOUT>) =>
    lay(all, { ...NO_LAYOUT, ...state }).lanes.map(
      (lane) => laneText(lane) + (lane.kind === "track" && !lane.isOpen ? " closed" : ""),
    );
  const [first, , third] = host as [Track, Track, Track];
  assert.deepEqual(kinds({ toggled: new Set([key]) }), ["# GPU 0", "stream 7", "# Process 1"]);
  assert.deepEqual(
    kinds({ toggled: new Set([String(first.number), String(host[5]?.number)]), hidden: new Set([third.number]) }),
    ["# GPU 0", "stream 7", "# Process 1", "t0 closed", "t1", "t3 closed", "t4 closed", "t5"],
  );
  assert.deepEqual(kinds({ pinned: [third.number, device.number] }).slice(0, 5), [
    "# Pinned",
    "t2",
    "stream 7",
    "# Process 1",
    "t0",
  ]);
  assert.deepEqual(kinds({ only: "STREAM gpu" }), ["# GPU 0", "stream 7"]);
  assert.deepEqual(kinds({ only: "nothing is called so" }), []);
});

const counter = (number: number, thread: number) => ({
  number,
  thread,
  name: `memory ${number}`,
  key: "value",
  min: 0,
  max: 5,
  count: 9,
});

test("counters stand below the tracks of their process, also of one that has no slices", () => {
  const [first] = host as [Track];
  const quiet = track({ pid: "77", process: "sampler", slices: 0 });
  const { lanes } = lay(sections([...host, quiet], [counter(0, first.number), counter(1, quiet.number)]), NO_LAYOUT);
  assert.deepEqual(lanes.map(laneText), [
    "# Process 1",
    "t0",
    "t1",
    "t2",
    "t3",
    "t4",
    "t5",
    "memory 0",
    "# sampler",
    "memory 1",
  ]);
});

test("of many counters the first are shown, all of them counted, and the rest with a press", () => {
  const [one, other] = host as [Track, Track];
  const counters = Array.from({ length: 60 }, (_, n) => counter(n, n % 2 ? one.number : other.number));
  const many = sections(host, counters);
  const of = (state: Partial<typeof NO_LAYOUT>) =>
    lay(many, { ...NO_LAYOUT, ...state })
      .lanes.filter((lane) => lane.kind !== "track")
      .map(laneText);
  assert.equal(sectionWords(lay(many, NO_LAYOUT).lanes[0] as HeadLane), "6 tracks, 60 counters");
  const first = of({});
  assert.deepEqual([first.length, first[first.length - 1]], [26, "+36"]);
  const all = of({ toggled: new Set([moreKey(many[0] as (typeof many)[number])]) });
  assert.deepEqual([all.length, all[all.length - 1]], [62, "−36"]);
  assert.equal(new Set(all).size, 62);
  assert.deepEqual(of({ only: "MEMORY 59" }), ["# Process 1", "memory 59"]);
});

test("counters of a thread that is not listed are shown as well", () => {
  assert.deepEqual(lay(sections(host.slice(0, 1), [counter(0, 9999)]), NO_LAYOUT).lanes.map(laneText), [
    "# Process 1",
    "t0",
    "# Counters",
    "memory 0",
  ]);
});

test("what a device did as a whole stands above its tracks, is none of them, and goes and stays with its name", () => {
  const tracks = [
    track({ pid: "0", process: "python", processLabels: "GPU 0", name: "stream 7", side: "device" }),
    track({ pid: "0", process: "python", processLabels: "GPU 0", name: "stream 9", side: "device" }),
    track({ pid: "5", process: "host", name: "thread 5", side: "host" }),
  ];
  const [stream, other, thread] = tracks as [Track, Track, Track];
  const all = sections(tracks, [], [useOf(3, stream.number)]);
  assert.deepEqual(
    all.map((one) => one.device?.device ?? null),
    [3, null],
  );
  const laid = lay(all, NO_LAYOUT);
  assert.deepEqual(laid.lanes.map(laneText), ["# GPU 0", "busy of 3", "stream 7", "stream 9", "# host", "thread 5"]);
  assert.deepEqual([laid.shown, laid.all], [3, 3]);
  assert.deepEqual(
    [stream, other, thread].map((one) => laid.busyByTrack.get(one.number)?.device.device),
    [3, 3, undefined],
  );
  const closed = lay(all, { ...NO_LAYOUT, toggled: new Set([sectionKey(all[0] as (typeof all)[0])]) });
  assert.deepEqual(closed.lanes.map(laneText), ["# GPU 0", "# host", "thread 5"]);
  assert.deepEqual(lay(all, { ...NO_LAYOUT, only: "stream 9" }).lanes.map(laneText), ["# GPU 0", "stream 9"]);
});
