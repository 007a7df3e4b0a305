// Which track stands where: sections of devices and processes, and within them lanes. Nothing here draws.
import { plural } from "../lib/format";
import type { TraceCounter, TraceDevice } from "./info";
import type { Side, Track } from "./types";

export type Section = {
  key: string;
  title: string;
  /** What the title leaves out: the process. */
  note: string;
  side: Side;
  tracks: Track[];
  counters: TraceCounter[];
  /** When anything ran on any of its tracks; null: it is no device, or that is not known. */
  device: TraceDevice | null;
};

/** A row of the open track; of a closed one, which only shows where something is; between the sections. */
export const ROW_PX = 18;
export const CLOSED_ROW_PX = 4;
export const HEAD_PX = 24;
/** Above and below the rows of a track. */
export const TRACK_PAD_PX = 3;
const CLOSED_ROWS = 8;
/** A browser cannot scroll through more of them; what is beyond is said, and found by search. */
const MOST_ROWS = 2000;
const OPEN_HOST_TRACKS = 3;

// --- sections

const collator = new Intl.Collator("en", { numeric: true });
const byName = (a: string, b: string): number => collator.compare(a, b);

const DEVICE_NAME = /\/device:(GPU|TPU|CPU):(\d+)/i;
const GPU_LABEL = /^GPU (\d+)/;

type Device = { kind: string; number: number; isSparseCore: boolean };

function deviceOf(track: Track): Device | null {
  const label = GPU_LABEL.exec(track.processLabels);
  if (label) return { kind: "GPU", number: Number(label[1]), isSparseCore: false };
  const named = DEVICE_NAME.exec(track.process);
  if (named && named[1]?.toUpperCase() !== "CPU")
    return {
      kind: (named[1] as string).toUpperCase(),
      number: Number(named[2]),
      isSparseCore: /sparse\s*core/i.test(track.process),
    };
  return null;
}

function titleOf(track: Track, device: Device | null): { title: string; note: string } {
  if (device?.isSparseCore)
    return {
      title: `${device.kind} ${device.number} ${/sparse\s*core.*$/i.exec(track.process)?.[0] ?? "SparseCore"}`,
      note: track.process,
    };
  if (device)
    return {
      title: `${device.kind} ${device.number}`,
      note: track.process === "" ? `pid ${track.pid}` : track.process,
    };
  if (track.side === "device") return { title: `Device ${track.process || track.pid}`, note: `pid ${track.pid}` };
  // Kineto's own spans have a word where others have a number.
  const isNumbered = /^-?\d+$/.test(track.pid);
  return {
    title: track.process || (isNumbered ? `Process ${track.pid}` : track.pid || "No process"),
    note: track.process && isNumbered ? `pid ${track.pid}` : "",
  };
}

/** As XProf orders what a device has. */
const DEVICE_ORDER = [
  /^steps?$/i,
  /^xla modules?$/i,
  /^xla ops$/i,
  /^xla traceme$/i,
  /^framework ops$/i,
  /^framework name scope$/i,
  /^source code$/i,
  /^scalar unit$/i,
  /^tensorcore sync flags$/i,
  /^(async|host) offload/i,
];
const STREAM = /^stream\s*#?(\d+)/i;

/** Places among a device's tracks: those with names that are known, then streams by number, then the rest. */
function rankOf(track: Track): [number, number] {
  const known = DEVICE_ORDER.findIndex((one) => one.test(track.name));
  if (known >= 0) return [known, 0];
  const stream = STREAM.exec(track.name);
  if (stream) return [DEVICE_ORDER.length, Number(stream[1])];
  return [DEVICE_ORDER.length + 1, 0];
}

const NOT_WORK = /^(spans|traces)$|pytorch profiler/i;
const isAside = (track: Track): boolean =>
  NOT_WORK.test(track.pid) || NOT_WORK.test(track.tid) || NOT_WORK.test(track.name);

/** Threads, what is asynchronous by name or derived, and what the profiler itself did. */
const placeOf = (track: Track): number => (isAside(track) ? 2 : track.isAsync || track.isDerived ? 1 : 0);

const compare = (a: number | null, b: number | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a - b;

function orderTracks(tracks: Track[], side: Side): Track[] {
  const fallback = (a: Track, b: Track): number => {
    if (a.isAsync && b.isAsync) return byName(a.name, b.name);
    if (side === "device") {
      const [one, other] = [rankOf(a), rankOf(b)];
      return one[0] - other[0] || one[1] - other[1] || byName(a.name || a.tid, b.name || b.tid);
    }
    return b.busy - a.busy || b.slices - a.slices || byName(a.tid, b.tid);
  };
  // Kineto numbers its threads by their ids, which puts none before another that matters more.
  const told = (track: Track): number | null =>
    track.threadSort !== null && String(track.threadSort) !== track.tid ? track.threadSort : null;
  return tracks
    .slice()
    .sort(
      (a, b) =>
        (side === "device" ? Number(a.isAsync) - Number(b.isAsync) : placeOf(a) - placeOf(b)) ||
        compare(told(a), told(b)) ||
        fallback(a, b) ||
        a.number - b.number,
    );
}

export const hasContent = (track: Track): boolean => track.slices > 0;

/** More lanes of counters than this hide the tracks: the rest of a section is shown when it is asked for. */
const FIRST_COUNTERS = 24;

/** Tracks, and counters, by the device or process that they are of, in the order in which they are drawn: devices first, among them and
 * among the host's processes as the file says. */
export function sections(
  tracks: readonly Track[],
  counters: readonly TraceCounter[] = [],
  devices: readonly TraceDevice[] = [],
): Section[] {
  const deviceOfTrack = new Map(devices.map((one) => [one.thread, one]));
  const countersOf = new Map<number, TraceCounter[]>();
  for (const counter of counters) {
    const known = countersOf.get(counter.thread);
    if (known) known.push(counter);
    else countersOf.set(counter.thread, [counter]);
  }
  type Draft = { section: Section; device: Device | null; sort: number | null; pid: string };
  const drafts = new Map<string, Draft>();
  for (const track of tracks) {
    const own = countersOf.get(track.number) ?? [];
    if (!hasContent(track) && !own.length) continue;
    const key = `${track.pid} ${track.process}`;
    let draft = drafts.get(key);
    if (!draft) {
      const device = deviceOf(track);
      const { title, note } = titleOf(track, device);
      draft = {
        section: {
          key,
          title,
          note,
          side: device ? "device" : track.side === "device" ? "device" : "host",
          tracks: [],
          counters: [],
          device: null,
        },
        device,
        sort: track.processSort,
        pid: track.pid,
      };
      drafts.set(key, draft);
    }
    if (hasContent(track)) draft.section.tracks.push(track);
    draft.section.device ??= deviceOfTrack.get(track.number) ?? null;
    draft.section.counters = draft.section.counters.concat(own);
    countersOf.delete(track.number);
  }
  const ownerless = [...countersOf.values()].flat();
  const aside = (draft: Draft): number =>
    Number(draft.section.tracks.length > 0 && draft.section.tracks.every(isAside));
  const hostLast = (draft: Draft): number => Number(draft.section.side !== "device");
  // A device's cores stay together, whatever numbers their processes have.
  const group = ({ device, section }: Draft): string => (device ? `${device.kind} ${device.number}` : section.title);
  const groupSort = new Map<string, number | null>();
  for (const draft of drafts.values()) {
    const known = groupSort.get(group(draft));
    groupSort.set(group(draft), known === undefined || compare(draft.sort, known) < 0 ? draft.sort : known);
  }
  const sortOf = (draft: Draft): number | null => (draft.device ? (groupSort.get(group(draft)) ?? null) : draft.sort);
  const sorted = [...drafts.values()].sort(
    (a, b) =>
      aside(a) - aside(b) ||
      hostLast(a) - hostLast(b) ||
      compare(sortOf(a), sortOf(b)) ||
      byName(group(a), group(b)) ||
      Number(a.device?.isSparseCore ?? false) - Number(b.device?.isSparseCore ?? false) ||
      byName(a.section.title, b.section.title) ||
      byName(a.pid, b.pid),
  );
  const all = sorted.map(({ section }) => ({ ...section, tracks: orderTracks(section.tracks, section.side) }));
  return ownerless.length
    ? [
        ...all,
        {
          key: "counters",
          title: "Counters",
          note: "of tracks that are not listed",
          side: "other",
          tracks: [],
          counters: ownerless,
          device: null,
        },
      ]
    : all;
}

/** What a track is called in its section. */
export const trackTitle = (track: Track): string =>
  track.name.trim() || (/^-?\d+$/.test(track.tid) ? `thread ${track.tid}` : track.tid) || `track ${track.number}`;

// --- lanes

/** What was chosen about tracks; `toggled` holds the keys of what is not as it is at first: open or closed. */
export type LayoutState = {
  toggled: ReadonlySet<string>;
  pinned: readonly number[];
  hidden: ReadonlySet<number>;
  only: string;
};
export const NO_LAYOUT: LayoutState = { toggled: new Set(), pinned: [], hidden: new Set(), only: "" };

export const trackKey = (track: { number: number }): string => String(track.number);
export const moreKey = (section: { key: string }): string => `m:${section.key}`;
export const sectionKey = (section: { key: string }): string => `s:${section.key}`;

export type HeadLane = {
  kind: "head";
  key: string;
  section: Section;
  isOpen: boolean;
  top: number;
  height: number;
  hiddenTracks: number;
};
export type TrackLane = {
  kind: "track";
  key: string;
  section: Section;
  track: Track;
  isOpen: boolean;
  isPinned: boolean;
  top: number;
  height: number;
  rowPx: number;
  /** Rows that are drawn, from the first. */
  rows: number;
  moreRows: number;
};
/** A number over time. */
export type CounterLane = {
  kind: "counter";
  key: string;
  section: Section;
  counter: TraceCounter;
  top: number;
  height: number;
};
/** When a device did anything: derived from its tracks, and none of them. */
export type BusyLane = {
  kind: "busy";
  key: string;
  section: Section;
  device: TraceDevice;
  top: number;
  height: number;
};
/** Where there are more counters than are shown at first: shows the rest, or takes it away again. */
export type MoreLane = {
  kind: "more";
  key: string;
  section: Section;
  more: number;
  isOpen: boolean;
  top: number;
  height: number;
};
export type Lane = HeadLane | TrackLane | BusyLane | CounterLane | MoreLane;

export const COUNTER_PX = 34;
export const BUSY_PX = ROW_PX + 2 * TRACK_PAD_PX;
export const BUSY_TITLE = "Busy";
/** A counter's event often has one number, whose key says nothing. */
export const counterTitle = ({ name, key }: TraceCounter): string =>
  /^(value|)$/i.test(key) ? name : `${name} ${key}`;

/** Tracks that are open at first: devices', and the busiest of the hosts'. */
export function firstOpen(all: readonly Section[]): Set<number> {
  const open = new Set<number>();
  const hosts = all.filter((one) => one.side !== "device").flatMap((one) => one.tracks);
  for (const section of all) if (section.side === "device") for (const track of section.tracks) open.add(track.number);
  const busiest = hosts.filter((one) => placeOf(one) === 0).sort((a, b) => b.busy - a.busy || b.slices - a.slices);
  for (const track of busiest.slice(0, OPEN_HOST_TRACKS)) open.add(track.number);
  return open;
}

const folded = (text: string): string => text.toLowerCase();

/** Whether every word stands in the section's or its own name. */
function isKept(section: Section, name: string, only: string): boolean {
  const words = folded(only).split(/\s+/).filter(Boolean);
  const own = folded(`${section.title} ${section.note} ${name}`);
  return words.every((word) => own.includes(word));
}

export type Layout = {
  lanes: Lane[];
  byTrack: ReadonlyMap<number, TrackLane>;
  /** By the tracks of their devices. */
  busyByTrack: ReadonlyMap<number, BusyLane>;
  height: number;
  shown: number;
  all: number;
};

export const PINNED: Section = {
  key: "pinned",
  title: "Pinned",
  note: "",
  side: "other",
  tracks: [],
  counters: [],
  device: null,
};

export function lay(all: readonly Section[], state: LayoutState, open: ReadonlySet<number> = firstOpen(all)): Layout {
  const lanes: Lane[] = [];
  let top = 0;
  let shown = 0;
  const add = (lane: Lane): void => {
    lanes.push(lane);
    top += lane.height;
  };
  const addTrack = (section: Section, track: Track, isPinned: boolean): void => {
    const key = trackKey(track);
    const isOpen = open.has(track.number) !== state.toggled.has(key);
    const rows = Math.max(1, Math.min(track.rows, isOpen ? MOST_ROWS : CLOSED_ROWS));
    const rowPx = isOpen ? ROW_PX : CLOSED_ROW_PX;
    // A closed one is high enough for its name.
    const height = Math.max(rows * rowPx, ROW_PX) + 2 * TRACK_PAD_PX;
    ++shown;
    add({
      kind: "track",
      key: isPinned ? `pinned ${key}` : key,
      section,
      track,
      isOpen,
      isPinned,
      top,
      height,
      rowPx,
      rows,
      moreRows: track.rows - rows,
    });
  };
  const pinned = new Set(state.pinned);
  const whereOf = new Map(
    all.flatMap((section) => section.tracks.map((track) => [track.number, { section, track }] as const)),
  );
  const kept = state.pinned.flatMap((number) => whereOf.get(number) ?? []);
  if (kept.length) {
    add({
      kind: "head",
      key: sectionKey(PINNED),
      section: { ...PINNED, tracks: kept.map((one) => one.track) },
      isOpen: true,
      top,
      height: HEAD_PX,
      hiddenTracks: 0,
    });
    for (const { section, track } of kept) addTrack(section, track, true);
  }
  for (const section of all) {
    const tracks = section.tracks.filter(
      (track) =>
        !pinned.has(track.number) &&
        !state.hidden.has(track.number) &&
        isKept(section, `${trackTitle(track)} ${track.tid}`, state.only),
    );
    const counters = section.counters.filter((one) => isKept(section, counterTitle(one), state.only));
    if (!tracks.length && !counters.length && (state.only || section.tracks.every((track) => pinned.has(track.number))))
      continue;
    const key = sectionKey(section);
    const isOpen = !state.toggled.has(key);
    const hiddenTracks = section.tracks.filter((track) => state.hidden.has(track.number)).length;
    add({ kind: "head", key, section, isOpen, top, height: HEAD_PX, hiddenTracks });
    if (!isOpen) continue;
    if (section.device && isKept(section, BUSY_TITLE, state.only))
      add({ kind: "busy", key: `b:${section.device.device}`, section, device: section.device, top, height: BUSY_PX });
    for (const track of tracks) addTrack(section, track, false);
    const more = counters.length - FIRST_COUNTERS;
    const isAll = state.toggled.has(moreKey(section));
    for (const counter of isAll ? counters : counters.slice(0, FIRST_COUNTERS))
      add({ kind: "counter", key: `c:${counter.number}`, section, counter, top, height: COUNTER_PX });
    if (more > 0) add({ kind: "more", key: moreKey(section), section, more, isOpen: isAll, top, height: HEAD_PX });
  }
  const byTrack = new Map(lanes.flatMap((lane) => (lane.kind === "track" ? [[lane.track.number, lane] as const] : [])));
  const busyByTrack = new Map(
    lanes.flatMap((lane) =>
      lane.kind === "busy" ? lane.section.tracks.map((track) => [track.number, lane] as const) : [],
    ),
  );
  return { lanes, byTrack, busyByTrack, height: top, shown, all: whereOf.size };
}

/** The place in `lanes` of what is at `y`; −1 above all, the last one below them. */
function laneIndexAt(lanes: readonly Lane[], y: number): number {
  let low = 0;
  let high = lanes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lanes[middle] as Lane).top <= y) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function laneAt(lanes: readonly Lane[], y: number): Lane | null {
  const lane = lanes[laneIndexAt(lanes, y)];
  return lane && y < lane.top + lane.height ? lane : null;
}

/** The lanes that touch `from` to `to`. */
export function lanesIn(lanes: readonly Lane[], from: number, to: number): Lane[] {
  const found: Lane[] = [];
  for (let at = Math.max(0, laneIndexAt(lanes, from)); at < lanes.length; ++at) {
    const lane = lanes[at] as Lane;
    if (lane.top >= to) break;
    if (lane.top + lane.height > from) found.push(lane);
  }
  return found;
}

/** The row of a track that is at `y`. */
export function rowAt(lane: TrackLane, y: number): number | null {
  const row = Math.floor((y - lane.top - TRACK_PAD_PX) / lane.rowPx);
  return row >= 0 && row < lane.rows ? row : null;
}

export const rowTop = (lane: TrackLane, row: number): number => lane.top + TRACK_PAD_PX + row * lane.rowPx;

export const trackLanes = (layout: Layout): TrackLane[] =>
  layout.lanes.filter((lane): lane is TrackLane => lane.kind === "track");
export const laneOf = (layout: Layout, track: number): TrackLane | null => layout.byTrack.get(track) ?? null;

/** What a section has, in words. */
export const sectionWords = (lane: HeadLane): string =>
  plural(lane.section.tracks.length, "track") +
  (lane.section.counters.length ? `, ${plural(lane.section.counters.length, "counter")}` : "") +
  (lane.hiddenTracks ? `, ${lane.hiddenTracks} hidden` : "");
