// What the timeline is made of. All times are nanoseconds from the trace's origin.

export type Window = { begin: number; end: number };

/** A slice of a stored trace; `chunk` within its track, `index` within its chunk. */
export type SliceRef = { track: number; chunk: number; index: number };
export const sameSlice = (a: SliceRef | null, b: SliceRef | null): boolean =>
  a === b || (!!a && !!b && a.track === b.track && a.chunk === b.chunk && a.index === b.index);

export type Side = "host" | "device" | "other";

/** A thread of a process or a stream of a device. */
export type Track = {
  number: number;
  pid: string;
  tid: string;
  process: string;
  processLabels: string;
  name: string;
  side: Side;
  /** Made of begins and ends of something asynchronous: of no thread. */
  isAsync: boolean;
  /** Repeats slices of other tracks of its process, as XProf derives them: nothing counts its own. */
  isDerived: boolean;
  processSort: number | null;
  threadSort: number | null;
  slices: number;
  rows: number;
  /** Null where it has no slices. */
  span: Window | null;
  /** ns in which something ran in its first row. */
  busy: number;
  points: number;
};

/** Rows 64·band … 64·band + 63 of a track. */
export const BAND_ROWS = 64;

/**
 * What there is to draw of a band in a window of 1024 buckets, each 2^level ns. Rows ascend; row `r` of them has the items
 * from `first[r]` to `first[r + 1]`, by time, none overlapping another.
 */
export type Tile = {
  track: number;
  band: number;
  rows: Uint32Array;
  first: Uint32Array;
  /** 1 where the first item of a row began before the window: the tile before counts it. */
  reachesIn: Uint8Array;
  begin: Float64Array;
  end: Float64Array;
  count: Uint32Array;
  /** ns: the sum of the durations. */
  busy: Float64Array;
  label: Uint32Array;
  chunk: Uint32Array;
  index: Uint16Array;
  /** Every item is a slice alone: no finer tile can say more. */
  isWhole: boolean;
};

/** A slice, or several that follow one another in a row, as it is drawn. */
export type Item = {
  track: number;
  row: number;
  begin: number;
  end: number;
  count: number;
  busy: number;
  /** Of the longest; −1 where only its name is known. */
  label: number;
  name?: string;
  /** The first of them. */
  slice: SliceRef;
};

export type Label = { name: string; category: string };
