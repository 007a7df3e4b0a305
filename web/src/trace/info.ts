// What the server says of a trace, as the timeline needs it.
import { type Address, type Parts, type Path, address } from "../api/address";
import type { components } from "../api/openapi";
import { count, plural } from "../lib/format";
import { spanText } from "./time";
import type { Track } from "./types";

type Schemas = components["schemas"];
export type TraceOverview = Schemas["TraceOverview"];
export type FlowKind = Schemas["FlowKind"];
export type TraceCounter = Schemas["TraceCounter"];
export type TraceDevice = Schemas["TraceDevice"];

/** A trace with its tracks; times in ns from the origin. */
export type TraceInfo = Pick<
  TraceOverview,
  | "id"
  | "key"
  | "end"
  | "events"
  | "slices"
  | "points"
  | "flows"
  | "artifact"
  | "counters"
  | "flow_kinds"
  | "has_index"
  | "findings"
  | "dropped_until"
> & {
  /** Empty, too, where it is not known which are devices. */
  devices: TraceDevice[];
  devicesLeftOut: number;
  tracks: Track[];
  tracksLeftOut: number;
  /** Null: not known. */
  countersLeftOut: number | null;
};

type PartOf<P> = P extends `/traces/{id}/${infer Part}` ? (Part extends `${string}/${string}` ? never : Part) : never;
export type TracePart = PartOf<Path>;
export type TracePath<Part extends TracePart> = Extract<Path, `/traces/{id}/${Part}`>;

/** What is asked of a trace; with the key of its content, so that no answer is of another one that has its number by now. */
export const traceUrl = <Part extends TracePart>(
  { id, key }: Pick<TraceInfo, "id" | "key">,
  what: Part,
  query: Omit<Parts<TracePath<Part>>, "id" | "key">,
): Address<TracePath<Part>> =>
  address<Path>(`/traces/{id}/${what}` as Path, { ...query, id, key } as unknown as Parts<Path>) as Address<
    TracePath<Part>
  >;

export function infoOf(overview: TraceOverview): TraceInfo {
  const {
    id,
    key,
    end,
    events,
    slices,
    points,
    flows,
    artifact,
    counters,
    flow_kinds,
    has_index,
    findings,
    dropped_until,
  } = overview;
  const devices = overview.devices ?? [];
  const tracks = overview.threads.map(
    (one): Track => ({
      number: one.thread,
      pid: one.pid,
      tid: one.tid,
      process: one.process_name,
      processLabels: one.process_labels,
      name: one.name,
      side: one.side,
      isAsync: one.is_async,
      isDerived: one.is_derived,
      processSort: one.process_sort_index,
      threadSort: one.thread_sort_index,
      slices: one.slices,
      rows: one.rows,
      span: one.begin === null || one.end === null ? null : { begin: one.begin, end: one.end },
      busy: one.busy ?? 0,
      points: one.points ?? 0,
    }),
  );
  return {
    id,
    key,
    end,
    events,
    slices,
    points,
    flows,
    artifact,
    counters,
    flow_kinds,
    has_index,
    findings,
    dropped_until,
    devices,
    devicesLeftOut: overview.devices_left_out,
    tracks,
    tracksLeftOut: overview.tracks_left_out,
    countersLeftOut: overview.counters_left_out,
  };
}

/** How large a trace is, and what of it the timeline lacks. */
export const sizeWords = (info: TraceInfo): string => {
  const tracks = info.tracks.filter((one) => one.slices > 0 && !one.isDerived).length;
  const leftOut = [
    ...(info.tracksLeftOut > 0 ? [plural(info.tracksLeftOut, "more track")] : []),
    ...countersLeftOut(info),
  ];
  return `${plural(info.events, "event")} on ${plural(tracks, "track")} in ${spanText(info.end)}${leftOut.length ? `, without ${leftOut.join(" and ")}` : ""}`;
};

/** The server keeps the first counters of a trace, and counts up to so many others. */
const MOST_COUNTERS = 10_000;
const MOST_COUNTERS_COUNTED = 1_000_000;

/** Counters that the timeline lacks. */
function countersLeftOut({ counters, countersLeftOut: more }: TraceInfo): string[] {
  // Without an index there are none at all yet.
  if (more === null)
    return counters.length >= MOST_COUNTERS ? [`an unknown number of counters beyond ${count(MOST_COUNTERS)}`] : [];
  if (more >= MOST_COUNTERS_COUNTED) return [`${count(more)} more counters, or still more`];
  return more > 0 ? [plural(more, "more counter")] : [];
}
