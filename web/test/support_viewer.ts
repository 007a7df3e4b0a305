// A viewer without a page: pictures are made when a test says so.
import { Viewer } from "../src/trace/viewer";
import type { Track } from "../src/trace/types";
import { type PlainSlice, sourceOfSlices } from "./support_tiles";

const waiting = new Map<number, FrameRequestCallback>();
let last = 0;

Object.assign(globalThis, {
  window: globalThis,
  requestAnimationFrame: (draw: FrameRequestCallback) => (waiting.set(++last, draw), last),
  cancelAnimationFrame: (number: number) => waiting.delete(number),
  matchMedia: () => ({ matches: true }),
});

/** All pictures that were asked for until now. */
export function drawAll(): void {
  const now = [...waiting.values()];
  waiting.clear();
  for (const draw of now) draw(performance.now());
}

export const trackOf = (number: number, more: Partial<Track> = {}): Track => ({
  number,
  pid: "1",
  tid: String(number),
  process: "p",
  processLabels: "",
  name: `t${number}`,
  side: "host",
  isAsync: false,
  isDerived: false,
  processSort: null,
  threadSort: null,
  slices: 10,
  rows: 1,
  span: { begin: 0, end: 1000 },
  busy: 1,
  points: 0,
  ...more,
});

export function viewerOf(tracks: Track[], slices: PlainSlice[] = [], end = 1_000_000): Viewer {
  const info = {
    id: 1,
    key: "k",
    end,
    events: 1,
    slices: slices.length,
    points: 0,
    flows: 0,
    artifact: null,
    counters: [],
    flow_kinds: [],
    has_index: true,
    findings: 0,
    dropped_until: null,
    devices: [],
    devicesLeftOut: 0,
    tracks,
    tracksLeftOut: 0,
    countersLeftOut: 0,
  };
  return new Viewer(info, { ...sourceOfSlices(slices), labels: () => Promise.resolve([]) });
}
