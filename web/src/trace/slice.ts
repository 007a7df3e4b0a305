// One slice as the server tells it.
import { ask } from "../api/client";
import type { components } from "../api/openapi";
import type { Arrow } from "./events";
import { type TraceInfo, traceUrl } from "./info";
import { type Speaker, speak } from "./spoken";
import type { Item, SliceRef } from "./types";

export type Slice = components["schemas"]["TraceSlice"];
export type SliceFlow = Slice["flows"][number];

/** What shows a trace in which slices are chosen. */
export type Chooser = Speaker & {
  info: TraceInfo;
  selection: Item[];
  select(items: Item[]): void;
  reveal(item: Item): void;
  changed(what: "overlay"): void;
};

/** Its arrows, from it and to it. */
export const arrowsOf = (slice: Slice): Arrow[] =>
  slice.flows.map(({ direction, kind, thread, time }) =>
    direction === "back"
      ? { fromTime: time, fromTrack: thread, toTime: slice.begin, toTrack: slice.thread, kind }
      : { fromTime: slice.begin, fromTrack: slice.thread, toTime: time, toTrack: thread, kind },
  );

export const sliceUrl = (viewer: Pick<Chooser, "info">, { track, chunk, index }: SliceRef) =>
  traceUrl(viewer.info, "slice", { thread: track, chunk, index });

/** It as an item; its label's number is not told. */
export const itemOfSlice = (slice: Pick<Slice, "thread" | "chunk" | "index" | "row" | "begin" | "duration">): Item => ({
  track: slice.thread,
  row: slice.row,
  begin: slice.begin,
  end: slice.begin + slice.duration,
  count: 1,
  busy: slice.duration,
  label: -1,
  slice: { track: slice.thread, chunk: slice.chunk, index: slice.index },
});

type Placed = Parameters<typeof itemOfSlice>[0];

/** Selects an item and moves to it. */
export function choose(viewer: Chooser, item: Item): void {
  viewer.select([item]);
  viewer.reveal(item);
  speak(viewer, item);
}

/** The same of a slice as the server tells it; its item, where it is known, knows its label. */
export function chooseSlice(viewer: Chooser, slice: Placed & { name?: string }, item: Item = itemOfSlice(slice)): void {
  choose(viewer, { ...item, ...(slice.name === undefined ? {} : { name: slice.name }) });
}

/** Selects the slices that an address names; those that are not there are left out. */
export async function selectSlices(viewer: Chooser, slices: SliceRef[]): Promise<void> {
  const answers = await Promise.allSettled(slices.map((one) => ask(sliceUrl(viewer, one))));
  viewer.selection = answers.flatMap((one) =>
    one.status === "fulfilled" ? [{ ...itemOfSlice(one.value.data), name: one.value.data.name }] : [],
  );
  viewer.changed("overlay");
}
