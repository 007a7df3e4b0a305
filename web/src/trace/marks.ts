// Places that the server found something at: graph breaks, recompilations, idle gaps and the like.
import type { components } from "../api/openapi";
import { count, plural } from "../lib/format";
import { type Pen, FONT } from "./draw";
import { laneOf } from "./layout";
import { INK, type Theme } from "./palette";
import type { Sight } from "./scene";
import { spanText } from "./time";
import type { Window } from "./types";
import { type View, xOf } from "./view";

export type Finding = components["schemas"]["TraceFindingRow"];
export type Findings = components["schemas"]["TraceFindings"];
export type MarkKind = Finding["kind"];

export type IdleCause = NonNullable<Finding["cause"]>;
export const CAUSES: Record<IdleCause, string> = {
  host_wait: "waits for the host",
  kernel_wait: "kernel to kernel, under 30 µs",
  other: "waits for something else",
  unknown: "not known",
};

/** What the address says of which kind is listed. */
export const listOf = (kind: MarkKind): { kind: string } => ({ kind });

/** A sign and words for each: no colour tells them apart. */
export const MARKS: Record<MarkKind, { sign: string; one: string; many: string }> = {
  graph_break: { sign: "≀", one: "graph break", many: "graph breaks" },
  recompile: { sign: "↻", one: "recompilation", many: "recompilations" },
  compiling: { sign: "◍", one: "compilation", many: "compilations" },
  step: { sign: "│", one: "step", many: "steps" },
  device_idle: { sign: "▁", one: "gap of a device", many: "gaps of devices" },
  idle_host_wait: {
    sign: "▒",
    one: "gap of a stream that waits for the host",
    many: "gaps of streams that wait for the host",
  },
  idle_other: { sign: "░", one: "other gap of a stream", many: "other gaps of streams" },
  long_launch_delay: { sign: "⇥", one: "long launch delay", many: "long launch delays" },
  queue_full: { sign: "▤", one: "full launch queue", many: "full launch queues" },
  synchronization: { sign: "‖", one: "synchronization", many: "synchronizations" },
  pageable_copy: { sign: "⇄", one: "copy of pageable memory", many: "copies of pageable memory" },
};

export const ALL_MARKS = Object.keys(MARKS) as MarkKind[];
/** What is drawn before anybody chose: rare, and each worth a look. */
export const FIRST_MARKS: MarkKind[] = ["graph_break", "recompile", "queue_full"];
const SIGN_PX = 12;
export const isGap = (kind: MarkKind): boolean =>
  kind === "idle_host_wait" || kind === "idle_other" || isOfDevice(kind);
/** It is of a device as a whole, and of the track on which something ran next. */
const isOfDevice = (kind: MarkKind): boolean => kind === "device_idle";

/** What shows a trace with what was found in it. */
type Marked = {
  readonly view: View;
  readonly findings: readonly Finding[];
  readonly marks: ReadonlySet<MarkKind>;
  readonly findingKinds: Findings["kinds"];
  readonly loadedMarks: LoadedMarks;
  toggleMarks(kind: MarkKind, isOn: boolean): void;
  fitWindow(window: Window): void;
  showDevice(track: number): void;
  showTrack(track: number): void;
  say(text: string): void;
};

export const shownFindings = (viewer: Pick<Marked, "findings" | "marks">): Finding[] =>
  viewer.findings.filter((one) => viewer.marks.has(one.kind));

export function drawMarks(pen: Pen, sight: Sight, findings: readonly Finding[], theme: Theme): void {
  const ink = INK[theme];
  pen.font = FONT;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  let after = -Infinity;
  let lastThread = -1;
  // Of thousands in sight those are drawn that are seen: one for each pixel of a track.
  const lastX = new Map<number, number>();
  for (const { kind, thread, begin, end } of findings) {
    const lane = isOfDevice(kind) ? sight.layout.busyByTrack.get(thread) : laneOf(sight.layout, thread);
    const x0 = xOf(sight.view, begin);
    const x1 = xOf(sight.view, end);
    if (!lane || x1 < 0 || x0 > sight.view.width) continue;
    const pixel = Math.round(x0);
    if (!isGap(kind) && lastX.get(thread) === pixel) continue;
    if (!isGap(kind)) lastX.set(thread, pixel);
    const y = lane.top - sight.top;
    if (isGap(kind)) {
      // Hatched, so that it is seen where nothing ran.
      pen.fillStyle = ink.hatch;
      const [from, to] = [Math.max(0, x0), Math.min(sight.view.width, x1)];
      for (let x = from; x < to; x += 4) pen.fillRect(x, y + 3, 1, lane.height - 6);
    } else {
      pen.fillStyle = ink.hit;
      pen.fillRect(pixel, y, 1, lane.height - 1);
    }
    // Signs that would cover one another are left out; their lines are there.
    if (thread === lastThread && x0 < after + SIGN_PX) continue;
    lastThread = thread;
    after = x0;
    const middle = isGap(kind) ? (Math.max(0, x0) + Math.min(sight.view.width, x1)) / 2 : Math.max(SIGN_PX / 2, x0);
    if (isGap(kind) && x1 - x0 < SIGN_PX) continue;
    pen.fillStyle = ink.ground;
    pen.fillRect(middle - SIGN_PX / 2, y + lane.height - SIGN_PX - 2, SIGN_PX, SIGN_PX);
    pen.fillStyle = ink.hit;
    pen.fillText(MARKS[kind].sign, middle, y + lane.height - SIGN_PX / 2 - 2);
  }
}

/** The finding whose sign or gap is at a place of a track, or of a device's tracks together (`ofDevice`), or near enough to be
 * meant. */
export function findingAt(viewer: Marked, threads: readonly number[], time: number, ofDevice: boolean): Finding | null {
  const near = 6 * viewer.view.nsPerPx;
  return (
    shownFindings(viewer).find(
      (one) =>
        isOfDevice(one.kind) === ofDevice &&
        threads.includes(one.thread) &&
        (isGap(one.kind) ? one.begin <= time && time <= one.end : Math.abs(one.begin - time) <= near),
    ) ?? null
  );
}

const lengthOf = ({ begin, end }: Finding): number => end - begin;
const isSame = (a: Finding, b: Finding): boolean =>
  a.kind === b.kind && a.begin === b.begin && a.end === b.end && a.thread === b.thread && a.words === b.words;

/** What is loaded of each kind: its longest, the longest first. */
export type LoadedMarks = ReadonlyMap<MarkKind, readonly Finding[]>;

/** The server's first answer has the longest of each kind, a list (`listed`) as many as were asked for. */
export const loadedMarks = ({ items, kinds }: Findings, listed: LoadedMarks): LoadedMarks =>
  new Map(
    kinds.map(({ kind }) => {
      const first = items.filter((one) => one.kind === kind).sort((a, b) => lengthOf(b) - lengthOf(a));
      const more = listed.get(kind) ?? [];
      return [kind, more.length > first.length ? more : first];
    }),
  );

/** What can be drawn, by beginning: all that is loaded, and of each kind the one that begins first. */
export function drawableMarks(loaded: LoadedMarks, kinds: Findings["kinds"]): Finding[] {
  const all = [...loaded.values()].flat();
  const firsts = kinds.flatMap(({ first }) =>
    first && !loaded.get(first.kind)?.some((one) => isSame(one, first)) ? [first] : [],
  );
  return [...all, ...firsts].sort((a, b) => a.begin - b.begin);
}

export type MarkCount = {
  kind: MarkKind;
  words: string;
  /** Of how many only the longest are marked, in words; "" where all are. */
  kept: string;
  /** Whether the one that begins first is known. */
  hasFirst: boolean;
};

/** How many there are of each kind, and how many of them are marked. */
export const markCounts = (loaded: LoadedMarks, kinds: Findings["kinds"]): MarkCount[] =>
  ALL_MARKS.flatMap((kind) => {
    const found = kinds.find((one) => one.kind === kind);
    const marked = loaded.get(kind) ?? [];
    const shortest = marked[marked.length - 1];
    if (!found || !shortest) return [];
    const kept =
      found.count > marked.length
        ? `the longest ${count(marked.length)} are marked, all of ${spanText(lengthOf(shortest))} or more`
        : "";
    return [
      { kind, words: plural(found.count, MARKS[kind].one, MARKS[kind].many), kept, hasFirst: found.first !== null },
    ];
  });

/** Shows the first or the longest of a kind, and from then on all of it. */
export function goToMark(viewer: Marked, kind: MarkKind, which: "first" | "longest"): void {
  viewer.toggleMarks(kind, true);
  const found =
    which === "first" ? viewer.findingKinds.find((one) => one.kind === kind)?.first : viewer.loadedMarks.get(kind)?.[0];
  if (found) goToFinding(viewer, found);
}

/** Shows a finding or a note with as much around it, and its track. */
export function goToFinding(
  viewer: Marked,
  {
    begin,
    end,
    thread,
    words,
    kind,
  }: Pick<Finding, "begin" | "end" | "words"> & { thread: number | null; kind?: MarkKind },
): void {
  const length = Math.max(1, end - begin);
  viewer.fitWindow({ begin: begin - length, end: end + length });
  if (thread !== null && kind && isOfDevice(kind)) viewer.showDevice(thread);
  else if (thread !== null) viewer.showTrack(thread);
  viewer.say(words);
}
