// Draws what a trace has beside its slices: arrows, counters, instants, notes.
import { type Pen, FONT, widthOf } from "./draw";
import type { Arrow, BusyWindow, CounterWindow, Point } from "./events";
import { deepestAt, placeOf } from "./hit";
import { INK, type Theme } from "./palette";
import { type BusyLane, type CounterLane, TRACK_PAD_PX, laneOf } from "./layout";
import type { Sight } from "./scene";
import type { TileStore } from "./tiles";
import { type View, endOf, xOf } from "./view";

/** Arrows of a kind have a dash of their own. */
const DASHES: Record<Arrow["kind"], number[]> = { launch: [], fwdbwd: [6, 3], async: [2, 2], other: [1, 3] };
const HEAD_PX = 5;

/** Where one end is: at the deepest slice drawn there, else at the track's edge; null where the track is not laid out. */
function endPlace(sight: Sight, tiles: TileStore, track: number, time: number): { x: number; y: number } | null {
  const lane = laneOf(sight.layout, track);
  if (!lane) return null;
  const x = xOf(sight.view, time);
  const isNear =
    lane.top + lane.height > sight.top && lane.top < sight.top + sight.height && x >= 0 && x <= sight.view.width;
  const item = isNear ? deepestAt(sight, tiles, track, time) : null;
  const place = item && placeOf(sight, item);
  return { x, y: place ? place.y + place.height / 2 : lane.top + lane.height / 2 - sight.top };
}

export function drawArrow(pen: Pen, sight: Sight, tiles: TileStore, arrow: Arrow, color: string, thick = 1): void {
  const from = endPlace(sight, tiles, arrow.fromTrack, arrow.fromTime);
  const to = endPlace(sight, tiles, arrow.toTrack, arrow.toTime);
  if (!from || !to) return;
  const { width } = sight.view;
  if ((from.x < 0 && to.x < 0) || (from.x > width && to.x > width)) return;
  pen.strokeStyle = color;
  pen.fillStyle = color;
  pen.lineWidth = thick;
  pen.setLineDash(DASHES[arrow.kind]);
  const bend = Math.min(60, Math.abs(to.x - from.x) / 2 + 8);
  pen.beginPath();
  pen.moveTo(from.x, from.y);
  pen.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
  pen.stroke();
  pen.setLineDash([]);
  pen.beginPath();
  pen.moveTo(to.x, to.y);
  pen.lineTo(to.x - HEAD_PX - thick, to.y - HEAD_PX / 2 - thick / 2);
  pen.lineTo(to.x - HEAD_PX - thick, to.y + HEAD_PX / 2 + thick / 2);
  pen.closePath();
  pen.fill();
}

/** When a device did anything: as high as it was busy, where spans are too short to be told apart. */
export function drawBusy(pen: Pen, sight: Sight, lane: BusyLane, data: BusyWindow, theme: Theme): void {
  const { view, top } = sight;
  const y = lane.top + TRACK_PAD_PX - top;
  const height = lane.height - 2 * TRACK_PAD_PX - 2;
  for (let n = 0; n < data.begin.length; ++n) {
    const [begin, end] = [data.begin[n] as number, data.end[n] as number];
    const from = Math.max(0, xOf(view, begin));
    const to = Math.min(view.width, xOf(view, end));
    if (to < 0 || from > view.width) continue;
    const share = (data.busy[n] as number) / Math.max(1, end - begin);
    const full = Math.max(1, Math.round(height * share));
    const width = Math.max(0.5, to - from);
    if (share < 1) {
      pen.fillStyle = INK[theme].mark;
      pen.fillRect(from, y, width, height);
    }
    pen.fillStyle = INK[theme].quiet;
    pen.fillRect(from, y + height - full, width, full);
  }
}

/** A counter as steps: the band from the least to the most of each pixel's time. */
export function drawCounter(pen: Pen, sight: Sight, lane: CounterLane, data: CounterWindow, theme: Theme): void {
  const ink = INK[theme];
  const { view, top } = sight;
  const { min, max } = lane.counter;
  const low = Math.min(0, min);
  const range = Math.max(max, 0) - low || 1;
  const bottom = lane.top + lane.height - 3 - top;
  const height = lane.height - 6;
  const y = (value: number): number => bottom - ((value - low) / range) * height;
  let value = data.before;
  let x = 0;
  const flat = (to: number): void => {
    const [from, until] = [Math.max(0, x), Math.min(view.width, to)];
    if (value === null || until <= from) return;
    pen.fillStyle = ink.mark;
    pen.fillRect(from, y(value), until - from, bottom - y(value) + 1);
    pen.fillStyle = ink.focus;
    pen.fillRect(from, y(value), until - from, 1);
  };
  for (let n = 0; n < data.at.length; ++n) {
    const next = xOf(view, data.at[n] as number);
    flat(next);
    if (next >= 0 && next <= view.width) {
      const [from, to] = [y(data.max[n] as number), y(data.min[n] as number)];
      pen.fillStyle = ink.focus;
      pen.fillRect(Math.round(next), from, 1, Math.max(1, to - from));
    }
    value = data.last[n] as number;
    x = next;
  }
  flat(Math.min(view.width, xOf(view, sight.end)));
}

/** Instants: ticks at the foot of their track. */
export function drawPoints(pen: Pen, sight: Sight, points: readonly Point[], theme: Theme): void {
  pen.fillStyle = INK[theme].hit;
  for (const point of points) {
    const lane = laneOf(sight.layout, point.thread);
    const x = Math.round(xOf(sight.view, point.time));
    if (!lane || x < 0 || x > sight.view.width) continue;
    pen.fillRect(x, lane.top + lane.height - 5 - sight.top, 1, 4);
    pen.fillRect(x - 1, lane.top + lane.height - 2 - sight.top, 3, 1);
  }
}

export type Flag = { begin: number; end: number; words: string; thread: number | null };

/** Notes: a flag each, its beginning a line through all tracks. */
export function drawFlags(pen: Pen, view: View, height: number, flags: readonly Flag[], theme: Theme): void {
  const ink = INK[theme];
  pen.font = FONT;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  for (const { begin, end, words } of flags) {
    if (end < view.begin || begin > endOf(view)) continue;
    const x0 = Math.round(xOf(view, begin));
    const x1 = Math.round(xOf(view, end));
    pen.fillStyle = ink.hit;
    pen.fillRect(x0, 0, 1, height);
    if (x1 > x0 + 2) {
      pen.fillRect(x1, 0, 1, height);
      pen.fillRect(x0, 0, x1 - x0, 2);
    }
    const short = words.length > 24 ? `${words.slice(0, 23)}…` : words;
    const text = `⚑ ${short}`;
    const width = widthOf(pen, text) + 10;
    const x = Math.min(view.width - width, Math.max(0, x0));
    pen.fillRect(x, 0, width, 16);
    pen.fillStyle = ink.filled;
    pen.fillText(text, x + 5, 8);
  }
}
