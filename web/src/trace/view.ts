// Which part of the time is in sight, and how it moves.
import { placeText, spanText, unitFor } from "./time";
import type { Window } from "./types";

/** `begin` is the time at the left edge of `width` pixels. */
export type View = { begin: number; nsPerPx: number; width: number };

/** A nanosecond is at most so wide; finer there is nothing. */
const LEAST_NS_PER_PX = 1 / 64;
/** So much may be seen beyond the trace's ends, for its edges to be seen as edges. */
const MARGIN_PX = 24;

export const endOf = (view: View): number => view.begin + view.width * view.nsPerPx;
export const windowOf = (view: View): Window => ({ begin: view.begin, end: endOf(view) });
export const xOf = (view: View, time: number): number => (time - view.begin) / view.nsPerPx;
export const timeOf = (view: View, x: number): number => view.begin + x * view.nsPerPx;

/** The view nearest to this one that shows nothing but the trace, from 0 to `end`, and its edges. */
export function clampView(view: View, end: number): View {
  const width = Math.max(1, view.width);
  const inner = Math.max(1, width - 2 * MARGIN_PX);
  const most = Math.max(1, end) / inner;
  const nsPerPx = Math.min(most, Math.max(Math.min(most, LEAST_NS_PER_PX), view.nsPerPx));
  const margin = MARGIN_PX * nsPerPx;
  const begin = Math.max(-margin, Math.min(view.begin, end + margin - width * nsPerPx));
  return { begin, nsPerPx, width };
}

/** Nearer (factor > 1) or farther; what is under `x` stays there. */
export function zoomAt(view: View, factor: number, x: number, end: number): View {
  const least = Math.min(LEAST_NS_PER_PX, Math.max(1, end) / Math.max(1, view.width));
  const nsPerPx = Math.max(least, view.nsPerPx / factor);
  const zoomed = clampView({ ...view, nsPerPx }, end);
  return clampView({ ...zoomed, begin: timeOf(view, x) - x * zoomed.nsPerPx }, end);
}

export const panBy = (view: View, px: number, end: number): View =>
  clampView({ ...view, begin: view.begin + px * view.nsPerPx }, end);

/** All of the window, with `margin` of its length on either side. */
export function fit(window: Window, width: number, end: number, margin = 0.05): View {
  const span = Math.max(window.end - window.begin, 1);
  const nsPerPx = (span * (1 + 2 * margin)) / Math.max(1, width);
  const zoomed = clampView({ begin: 0, nsPerPx, width }, end);
  // In the middle, also where it is shorter than what can be told apart.
  return clampView({ ...zoomed, begin: (window.begin + window.end) / 2 - (zoomed.nsPerPx * width) / 2 }, end);
}

export const fitAll = (width: number, end: number): View => clampView({ begin: 0, nsPerPx: Infinity, width }, end);

/** A moment on the way from one view to another, `part` from 0 to 1: the scale goes evenly, as a map's does. */
export function between(from: View, to: View, part: number): View {
  if (part >= 1) return to;
  const nsPerPx = from.nsPerPx * (to.nsPerPx / from.nsPerPx) ** part;
  const ratio = from.nsPerPx === to.nsPerPx ? part : (from.nsPerPx - nsPerPx) / (from.nsPerPx - to.nsPerPx);
  return { begin: from.begin + (to.begin - from.begin) * ratio, nsPerPx, width: to.width };
}

/** A window of a level has 1024 buckets of 2^level ns. */
export const tileSpan = (level: number): number => 2 ** (level + 10);
export const MOST_LEVEL = 42;

/** The level whose buckets are about `b` pixels wide, not wider. */
export const levelOf = (nsPerPx: number, b = 1): number =>
  Math.min(MOST_LEVEL, Math.max(0, Math.floor(Math.log2(nsPerPx * b))));

/** The level of which one tile holds the whole trace. */
export function topLevel(end: number): number {
  let level = 0;
  while (tileSpan(level) <= end && level < MOST_LEVEL) ++level;
  return level;
}

/** The tiles of a level that a window touches, none of them beyond the trace. */
export function tilesOf(window: Window, level: number, end: number): { first: number; last: number } {
  const span = tileSpan(level);
  const last = Math.floor(Math.max(0, end) / span);
  return {
    first: Math.min(last, Math.max(0, Math.floor(window.begin / span))),
    last: Math.min(last, Math.max(0, Math.floor(window.end / span))),
  };
}

export type Tick = { at: number; text: string };
/** `base`: what the texts are counted from, where whole ones would be too long; it stands once, at the left. */
export type Axis = { base: Tick | null; ticks: Tick[]; step: number };

const TICK_PX = 110;
/** On a narrow screen there are three of them still. */
const tickPx = (width: number): number => Math.max(72, Math.min(TICK_PX, width / 4));
/** More digits than this are no place any more but a number. */
const MOST_DIGITS = 6;

export function axisOf(view: View): Axis {
  const least = Math.max(1, tickPx(view.width) * view.nsPerPx);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least * (1 - 1e-9)) ?? 10 * power;
  const from = Math.ceil(Math.max(0, view.begin) / step);
  const to = Math.floor(endOf(view) / step);
  const unit = unitFor(Math.max(step, Math.abs(endOf(view))));
  const tooLong = Math.ceil(Math.log10(Math.max(1, endOf(view)) / step)) > MOST_DIGITS;
  const baseAt = tooLong ? from * step : 0;
  const ticks: Tick[] = [];
  for (let n = from; n <= to; ++n) {
    const at = n * step;
    ticks.push({
      at,
      text: tooLong ? `+${spanText(at - baseAt)}` : at === 0 ? `0 ${unit[0]}` : placeText(at, step, unit),
    });
  }
  return {
    base: tooLong ? { at: baseAt, text: placeText(baseAt, step, unit) } : null,
    ticks: tooLong ? ticks.slice(1) : ticks,
    step,
  };
}
