// What a trace has beside its slices, of the window in sight: arrows, counters, instants. Asked for when the picture rests.
import type { Address, Answered, Parts } from "../api/address";
import { type ApiError, asApiError, ask } from "../api/client";
import type { components } from "../api/openapi";
import { Again } from "./again";
import { type FlowKind, type TraceInfo, type TracePart, type TracePath, traceUrl } from "./info";
import { type Layout, lanesIn } from "./layout";
import type { Window } from "./types";
import { type View, windowOf } from "./view";

export type Arrow = { fromTime: number; fromTrack: number; toTime: number; toTrack: number; kind: FlowKind };
type Schemas = components["schemas"];
type ArrowsAnswer = Schemas["TraceArrows"];
export type CounterWindow = Schemas["TraceCounterWindow"];
export type BusyWindow = Schemas["TraceDeviceBusy"];
export type Point = Schemas["TracePointRow"];

/** What stands in the address beside the kinds of arrows. */
export const INSTANTS = "instants";
export const FLOW_KINDS: FlowKind[] = ["launch", "fwdbwd", "async", "other"];

const REST_MS = 120;
const MOST = 2000;
const BUCKETS = 1024;

/** The contract cannot say what stands where in a list of six. */
function arrowOf(row: ArrowsAnswer["arrows"][number]): Arrow {
  const [fromTime, fromTrack, toTime, toTrack, kind] = row as unknown as [number, number, number, number, FlowKind];
  return { fromTime, fromTrack, toTime, toTrack, kind };
}

const contains = (outer: Window, inner: Window): boolean => outer.begin <= inner.begin && outer.end >= inner.end;
const spanOf = ({ begin, end }: Window): number => end - begin;

/** What is asked beside the window. */
type Asked<Of extends TracePart> = Omit<Parts<TracePath<Of>>, "id" | "key">;

/** One kind of what is asked for: the newest answer, and the request that is on its way. An answer that came too late for
 * what is asked now is none. */
class Part<Of extends TracePart> {
  kept: { asked: string; window: Window; data: Answered<TracePath<Of>> } | null = null;
  error: ApiError | null = null;
  private url = "";
  private controller: AbortController | null = null;

  /** `asked`: of what, beside the window. `done`: the answer is there, or could not be had. */
  ask(url: Address<TracePath<Of>>, asked: string, window: Window, done: () => void): void {
    if (this.controller && this.url === url) return;
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    this.url = url;
    const end = (): void => {
      this.controller = null;
      done();
    };
    ask(url, controller.signal).then(
      ({ data }) => {
        if (controller.signal.aborted) return;
        this.kept = { asked, window, data };
        this.error = null;
        end();
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        this.error = asApiError(error, url);
        end();
      },
    );
  }

  get isBusy(): boolean {
    return this.controller !== null;
  }

  /** What was asked for is not wanted any more. */
  giveUp(): void {
    this.controller?.abort();
    this.controller = null;
    this.error = null;
  }
}

/** What shows a trace: which part of it, and which arrows. */
type Sights = {
  readonly info: TraceInfo;
  readonly view: View;
  readonly flows: readonly string[];
  readonly layout: Layout;
  readonly top: number;
  readonly height: number;
  changed(what: "overlay"): void;
};

export class Events {
  arrows: Arrow[] = [];
  /** So many there are at least, where they are too many to be drawn. */
  tooManyArrows: number | null = null;
  points: Point[] = [];
  tooManyPoints = false;
  private readonly flowsPart = new Part<"flows">();
  private readonly pointsPart = new Part<"points">();
  private readonly counterParts = new Map<number, Part<"counter">>();
  private readonly busyParts = new Map<number, Part<"busy">>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly again: Again;

  constructor(
    private readonly viewer: Sights,
    againMs?: number,
  ) {
    this.again = new Again(() => this.look(), againMs);
  }

  /** Called with every picture: what is missing is asked for once nothing has moved for a moment. */
  rest(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), REST_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.again.stop();
    for (const one of this.parts) one.giveUp();
  }

  /** Why some of it could not be had; null once it could. */
  get error(): ApiError | null {
    for (const { error } of this.parts) if (error) return error;
    return null;
  }

  /** What is known of a counter. */
  counter(number: number): CounterWindow | null {
    return this.counterParts.get(number)?.kept?.data ?? null;
  }

  /** What is known of when a device was busy. */
  busy(device: number): BusyWindow | null {
    return this.busyParts.get(device)?.kept?.data ?? null;
  }

  get counters(): number {
    return [...this.counterParts.values()].filter((one) => one.kept).length;
  }

  private get parts(): Part<TracePart>[] {
    return [this.flowsPart, this.pointsPart, ...this.counterParts.values(), ...this.busyParts.values()];
  }

  private get kinds(): string[] {
    return FLOW_KINDS.filter((kind) => this.viewer.flows.includes(kind));
  }

  private look(): void {
    const { viewer, error } = this;
    const { begin, end } = windowOf(viewer.view);
    // What the server is asked of: nothing is before the trace's beginning.
    const sight = { begin: Math.max(0, Math.floor(begin)), end: Math.max(1, Math.ceil(end)) };
    // With as much on either side, so that small moves ask for nothing.
    const margin = Math.ceil(spanOf(sight) / 2);
    const wide = { begin: Math.max(0, sight.begin - margin), end: sight.end + margin };
    this.lookAt(this.flowsPart, "flows", this.kinds.join(), { kinds: this.kinds.join(), limit: MOST }, sight, wide);
    this.lookAt(
      this.pointsPart,
      "points",
      viewer.flows.includes(INSTANTS) ? INSTANTS : "",
      { limit: MOST },
      sight,
      wide,
    );
    const lanes = lanesIn(viewer.layout.lanes, viewer.top, viewer.top + viewer.height);
    const counters = lanes.flatMap((lane) => (lane.kind === "counter" ? [lane.counter.number] : []));
    const devices = lanes.flatMap((lane) => (lane.kind === "busy" ? [lane.device.device] : []));
    this.lookAtEach(
      this.counterParts,
      counters,
      (part, number) => this.ask(part, "counter", "", { number, buckets: BUCKETS }, wide),
      sight,
    );
    this.lookAtEach(
      this.busyParts,
      devices,
      (part, device) => this.ask(part, "busy", "", { device, buckets: BUCKETS }, wide),
      sight,
    );
    if (error !== this.error) viewer.changed("overlay");
  }

  /** Of what has a lane each: those in sight, where what is known of them is not fine enough. */
  private lookAtEach<Of extends TracePart>(
    parts: Map<number, Part<Of>>,
    inSight: readonly number[],
    ask: (part: Part<Of>, number: number) => void,
    sight: Window,
  ): void {
    for (const number of inSight) {
      const part = parts.get(number) ?? new Part<Of>();
      parts.set(number, part);
      const { kept } = part;
      if (kept && contains(kept.window, sight) && spanOf(kept.window) < 4.5 * spanOf(sight)) part.giveUp();
      else ask(part, number);
    }
    for (const [number, part] of parts) if (!inSight.includes(number)) part.giveUp();
  }

  /** Of a list that may be cut: where it is, of what is in sight alone. `asked`: "" where nothing is wanted. */
  private lookAt<Of extends "flows" | "points">(
    part: Part<Of>,
    what: Of,
    asked: string,
    query: Asked<Of>,
    sight: Window,
    wide: Window,
  ): void {
    if (!asked) {
      part.giveUp();
      if (!part.kept) return;
      part.kept = null;
      return this.show();
    }
    const kept = part.kept?.asked === asked ? part.kept : null;
    if (kept && contains(kept.window, sight) && (!kept.data.is_cut || spanOf(kept.window) <= 1.1 * spanOf(sight)))
      part.giveUp();
    else this.ask(part, what, asked, query, kept?.data.is_cut ? sight : wide);
  }

  private ask<Of extends TracePart>(part: Part<Of>, what: Of, asked: string, query: Asked<Of>, window: Window): void {
    if (part.error && this.again.isWaiting) return;
    part.ask(traceUrl(this.viewer.info, what, { ...window, ...query }), asked, window, () => {
      if (part.error) this.again.later();
      // What is cut may be whole of what is in sight; and that may have moved meanwhile.
      this.look();
      this.show();
    });
  }

  private show(): void {
    const [flows, points] = [this.flowsPart, this.pointsPart];
    this.arrows = flows.kept && !flows.kept.data.is_cut ? flows.kept.data.arrows.map(arrowOf) : [];
    this.points = points.kept && !points.kept.data.is_cut ? points.kept.data.items : [];
    // Of less there may be few enough: that is on its way then.
    this.tooManyArrows = flows.kept?.data.is_cut && !flows.isBusy ? flows.kept.data.count_at_least : null;
    this.tooManyPoints = !!points.kept?.data.is_cut && !points.isBusy;
    this.viewer.changed("overlay");
  }

  /** The instant at most `px` beside a place of a track. */
  pointAt(track: number, time: number, px: number): Point | null {
    const near = px * this.viewer.view.nsPerPx;
    let best: Point | null = null;
    for (const point of this.points) {
      if (
        point.thread === track &&
        Math.abs(point.time - time) <= near &&
        (!best || Math.abs(point.time - time) < Math.abs(best.time - time))
      )
        best = point;
    }
    return best;
  }
}

/** The place of what a device did at a moment, or of what it did next if nothing; the columns' end where nothing is left. */
export function busyAt({ end }: BusyWindow, time: number): number {
  let low = 0;
  let high = end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((end[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
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
