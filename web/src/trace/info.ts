// What the server says of a trace, as the timeline needs it.
import { address } from "../api/client";
import type { components } from "../api/openapi";
import type { Track } from "./types";

type Schemas = components["schemas"];
export type TraceOverview = Schemas["TraceOverview"];
export type FlowKind = Schemas["FlowKind"];
export type TraceCounter = Schemas["TraceCounter"];

/** A trace with its tracks; times in ns from the origin. */
export type TraceInfo = Pick<TraceOverview, "id" | "key" | "end" | "events" | "slices" | "points" | "flows" | "artifact" | "counters" | "flow_kinds" | "has_index" | "findings"> & { tracks: Track[]; tracksLeftOut: number };

/** What is asked of a trace; with the key of its content, so that no answer is of another one that has its number by now. */
export const traceUrl = ({ id, key }: Pick<TraceInfo, "id" | "key">, what: string, query: Parameters<typeof address>[1] = {}): string => address(`/traces/${id}/${what}`, { ...query, key });

export function infoOf(overview: TraceOverview): TraceInfo {
  const { id, key, end, events, slices, points, flows, artifact, counters, flow_kinds, has_index, findings } = overview;
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
      processSort: one.process_sort_index,
      threadSort: one.thread_sort_index,
      slices: one.slices,
      rows: one.rows,
      span: one.begin === null || one.end === null ? null : { begin: one.begin, end: one.end },
      busy: one.busy ?? 0,
      points: one.points ?? 0,
    }),
  );
  return { id, key, end, events, slices, points, flows, artifact, counters, flow_kinds, has_index, findings, tracks, tracksLeftOut: overview.tracks_left_out };
}
