// What a trace has beside its slices, of the window in sight: arrows, counters, instants. Asked for when the picture rests.
import { type ApiError, address, asApiError, ask } from "../api/client";
import type { components } from "../api/openapi";
import type { FlowKind } from "./info";
import { lanesIn } from "./layout";
import type { Window } from "./types";
import { windowOf } from "./view";
import type { Viewer } from "./viewer";

export type Arrow = { fromTime: number; fromTrack: number; toTime: number; toTrack: number; kind: FlowKind };
type Schemas = components["schemas"];
type ArrowsAnswer = Schemas["TraceArrows"];
export type CounterWindow = Schemas["TraceCounterWindow"];
export type Point = Schemas["TracePointRow"];
type PointsAnswer = Schemas["TracePoints"];

/** What stands in the address beside the kinds of arrows. */
export const INSTANTS = "instants";
export const FLOW_KINDS: FlowKind[] = ["launch", "fwdbwd", "async", "other"];

const REST_MS = 120;
const MOST = 2000;
const BUCKETS = 1024;

/** An answer, and the window that it is of. */
type Kept<T> = { asked: string; window: Window; data: T };
const contains = (outer: Window, inner: Window): boolean => outer.begin <= inner.begin && outer.end >= inner.end;
const spanOf = ({ begin, end }: Window): number => end - begin;

/** The contract cannot say what stands where in a list of six. */
function arrowOf(row: ArrowsAnswer["arrows"][number]): Arrow {
  const [fromTime, fromTrack, toTime, toTrack, kind] = row as unknown as [number, number, number, number, FlowKind];
  return { fromTime, fromTrack, toTime, toTrack, kind };
}

export class Events {
  arrows: Arrow[] = [];
  /** So many there are at least, where they are too many to be drawn. */
  tooManyArrows: number | null = null;
  points: Point[] = [];
  tooManyPoints = false;
  readonly counters = new Map<number, Kept<CounterWindow>>();
  error: ApiError | null = null;
  private flowsKept: Kept<ArrowsAnswer> | null = null;
  private pointsKept: Kept<PointsAnswer> | null = null;
  private timer = 0;
  private controller = new AbortController();

  constructor(private readonly viewer: Viewer) {}

  /** Called with every picture: what is missing is asked for once nothing has moved for a moment. */
  rest(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.look(), REST_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.controller.abort();
  }

  private get kinds(): string[] {
    return FLOW_KINDS.filter((kind) => this.viewer.flows.includes(kind));
  }

  private look(): void {
    const { viewer } = this;
    const sight = windowOf(viewer.view);
    // With as much on either side, so that small moves ask for nothing.
    const margin = spanOf(sight) / 2;
    const window = { begin: Math.max(0, Math.floor(sight.begin - margin)), end: Math.max(1, Math.ceil(sight.end + margin)) };
    const isGood = <T extends { is_cut: boolean }>(kept: Kept<T> | null, asked: string): boolean => !!kept && kept.asked === asked && contains(kept.window, sight) && (!kept.data.is_cut || spanOf(kept.window) < 2.5 * spanOf(sight));
    const kinds = this.kinds.join();
    if (!kinds) {
      this.flowsKept = null;
      this.arrows = [];
      this.tooManyArrows = null;
    } else if (!isGood(this.flowsKept, kinds)) {
      // What is cut is asked for of what is in sight alone.
      const of = this.flowsKept?.data.is_cut ? { begin: Math.max(0, Math.floor(sight.begin)), end: Math.ceil(sight.end) } : window;
      void this.get<ArrowsAnswer>("flows", { begin: of.begin, end: of.end, kinds, limit: MOST }, (data) => {
        this.flowsKept = { asked: kinds, window: of, data };
        this.tooManyArrows = data.is_cut ? data.count_at_least : null;
        this.arrows = data.is_cut ? [] : data.arrows.map(arrowOf);
      });
    }
    if (!viewer.flows.includes(INSTANTS)) {
      this.pointsKept = null;
      this.points = [];
      this.tooManyPoints = false;
    } else if (!isGood(this.pointsKept, INSTANTS)) {
      const of = this.pointsKept?.data.is_cut ? { begin: Math.max(0, Math.floor(sight.begin)), end: Math.ceil(sight.end) } : window;
      void this.get<PointsAnswer>("points", { begin: of.begin, end: of.end, limit: MOST }, (data) => {
        this.pointsKept = { asked: INSTANTS, window: of, data };
        this.points = data.is_cut ? [] : data.items;
        this.tooManyPoints = data.is_cut;
      });
    }
    for (const lane of lanesIn(viewer.layout.lanes, viewer.top, viewer.top + viewer.height)) {
      if (lane.kind !== "counter") continue;
      const { number } = lane.counter;
      const kept = this.counters.get(number);
      if (kept && contains(kept.window, sight) && spanOf(kept.window) < 4.5 * spanOf(sight)) continue;
      void this.get<CounterWindow>("counter", { number, begin: window.begin, end: window.end, buckets: BUCKETS }, (data) => this.counters.set(number, { asked: "", window, data }));
    }
  }

  private async get<T>(path: string, query: Record<string, string | number>, done: (data: T) => void): Promise<void> {
    const { info } = this.viewer;
    const url = address(`/traces/${info.id}/${path}`, { ...query, key: info.key });
    try {
      const { data } = await ask<T>(url, this.controller.signal);
      done(data);
      this.error = null;
    } catch (error) {
      if (this.controller.signal.aborted) return;
      this.error = asApiError(error, url);
    }
    this.viewer.changed("overlay");
  }

  /** The instant at most `px` beside a place of a track. */
  pointAt(track: number, time: number, px: number): Point | null {
    const near = px * this.viewer.view.nsPerPx;
    let best: Point | null = null;
    for (const point of this.points) {
      if (point.thread === track && Math.abs(point.time - time) <= near && (!best || Math.abs(point.time - time) < Math.abs(best.time - time))) best = point;
    }
    return best;
  }
}

/** What a counter was at a moment. */
export function valueAt({ before, at, last }: CounterWindow, time: number): number | null {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? (last[low - 1] as number) : before;
}
